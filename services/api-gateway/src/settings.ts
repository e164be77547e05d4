import { port, wholeNumber } from '@parley/service/settings'
import { sharedSettings } from '@parley/service/shared-settings'
import { z } from 'zod'

/** Everything that the api-gateway takes from its environment. */
export const gatewaySettings = {
  ...sharedSettings,
  host: {
    env: 'PARLEY_GATEWAY_HOST',
    help: 'the address that REST is served on',
    schema: z.string().default('127.0.0.1'),
  },
  port: {
    env: 'PARLEY_GATEWAY_PORT',
    help: 'the port of REST; 0 takes a free one',
    schema: port.default(8080),
  },
  tokenDays: {
    env: 'PARLEY_GATEWAY_TOKEN_DAYS',
    help: 'the lifetime of an issued token in days',
    schema: wholeNumber.default(30),
  },
  ratePerApiKey: {
    env: 'PARLEY_GATEWAY_RATE_PER_API_KEY',
    help: 'the requests that one API key may make in a minute; 0 is no limit',
    schema: wholeNumber.default(600_000),
  },
  ratePerToken: {
    env: 'PARLEY_GATEWAY_RATE_PER_TOKEN',
    help: 'the requests that one user token may make in a minute; 0 is no limit',
    schema: wholeNumber.default(6_000),
  },
}
