import { type SettingsDefinition, wholeNumber } from './settings.ts'

/** Rate limits for users over REST and sockets, in gateways and realtime nodes. */
export const rateSettings = {
  perUser: {
    env: 'PARLEY_RATE_PER_USER',
    help: 'the maximum number of requests and emits of one user per minute, over REST and sockets and with any of the user’s tokens; further ones get 429; 0 is no limit',
    schema: wholeNumber.default(6_000),
  },
  perApp: {
    env: 'PARLEY_RATE_PER_APP',
    help: 'the maximum number of requests and emits of all users of an app together per minute; API keys have their own limit; 0 is no limit',
    schema: wholeNumber.default(1_200_000),
  },
} satisfies SettingsDefinition
