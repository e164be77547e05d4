import { type SettingsDefinition, wholeNumber } from './settings.ts'

/** How much users may ask for, over REST and sockets: for gateways and realtime nodes alike. */
export const rateSettings = {
  perUser: {
    env: 'PARLEY_RATE_PER_USER',
    help: 'the requests and emits of one user in a minute, over REST and sockets, with whatever tokens, after which further ones get 429; 0 is no limit',
    schema: wholeNumber.default(6_000),
  },
  perApp: {
    env: 'PARLEY_RATE_PER_APP',
    help: 'the same for all users of an app together; its API keys have a limit of their own; 0 is no limit',
    schema: wholeNumber.default(1_200_000),
  },
} satisfies SettingsDefinition
