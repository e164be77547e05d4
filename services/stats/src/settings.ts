import { fileSettings } from '@parley/service/file-settings'
import { milliseconds, privateTargets, wholeNumber } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'

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
