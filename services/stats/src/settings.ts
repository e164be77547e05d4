import { fileSettings } from '@parley/service/file-settings'
import { milliseconds, privateTargets, wholeNumber } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'

/** Everything that the stats service takes from its environment. */
export const statsSettings = {
  ...sharedSettings,
  files: fileSettings,
  linkCards: {
    allowPrivateTargets: {
      env: 'PARLEY_STATS_LINK_CARDS_ALLOW_PRIVATE_TARGETS',
      help: 'whether link cards are made of pages at private, loopback and link-local addresses; with loopback, loopback addresses and no others',
      schema: privateTargets,
    },
  },
  canary: {
    url: {
      env: 'PARLEY_STATS_CANARY_URL',
      help: 'the URL at which clients reach Parley; set, a canary is sent there through an app of its own',
      schema: z.url({ protocol: /^https?$/ }).optional(),
    },
    apiKey: {
      env: 'PARLEY_STATS_CANARY_API_KEY',
      help: 'an API key of the app of the canary',
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
      help: 'the URL, with its port, at which the push service reaches this process; set, webhooks are tried too',
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
      help: 'the milliseconds between two checks of unread counts; by default a day, and then at 03:00 UTC',
      schema: milliseconds.min(1).default(86_400_000),
    },
    rooms: {
      env: 'PARLEY_STATS_BADGE_CHECK_ROOMS',
      help: 'the rooms, picked at random, whose unread counts one check compares with the messages',
      schema: wholeNumber.min(1).max(10_000).default(200),
    },
  },
}
