import { fileSettings } from '@parley/service/file-settings'
import { milliseconds, privateTargets, wholeNumber } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'

/** All settings of the stats service. */
export const statsSettings = {
  ...sharedSettings,
  files: fileSettings,
  linkCards: {
    allowPrivateTargets: {
      env: 'PARLEY_STATS_LINK_CARDS_ALLOW_PRIVATE_TARGETS',
      help: 'whether link cards are fetched from private, loopback and link-local addresses; loopback: only loopback addresses',
      schema: privateTargets,
    },
  },
  canary: {
    url: {
      env: 'PARLEY_STATS_CANARY_URL',
      help: 'the URL at which clients reach Parley; if set, a canary is sent there through its own app',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    apiKey: {
      env: 'PARLEY_STATS_CANARY_API_KEY',
      help: "an API key of the canary's app",
      schema: z.string().default(''),
      secret: true as const,
    },
    clientKey: {
      env: 'PARLEY_STATS_CANARY_CLIENT_KEY',
      help: 'the client key of that app',
      schema: z.string().default(''),
      secret: true as const,
    },
    everyMS: {
      env: 'PARLEY_STATS_CANARY_EVERY_MS',
      help: 'the milliseconds between two canaries of a process',
      schema: milliseconds.min(100).default(5_000),
    },
    callbackUrl: {
      env: 'PARLEY_STATS_CANARY_CALLBACK_URL',
      help: 'the URL, with its port, at which the push service reaches this process; if set, webhooks are tested too',
      schema: z.url({ protocol: /^http$/ }).optional(),
    },
    callbackHost: {
      env: 'PARLEY_STATS_CANARY_CALLBACK_HOST',
      help: 'the address that listens for those webhooks, at the port of the URL',
      schema: z.string().default('127.0.0.1'),
    },
  },
  badgeCheck: {
    everyMS: {
      env: 'PARLEY_STATS_BADGE_CHECK_EVERY_MS',
      help: 'the milliseconds between two checks of unread counts; default: a day, at 03:00 UTC',
      schema: milliseconds.min(1).default(86_400_000),
    },
    rooms: {
      env: 'PARLEY_STATS_BADGE_CHECK_ROOMS',
      help: 'the number of random rooms whose unread counts one check compares with the messages',
      schema: wholeNumber.min(1).max(10_000).default(200),
    },
  },
}
