import { refuses } from '@parley/service/test-refused-setting'
import { test } from 'vitest'
import { gatewaySettings } from './settings.ts'

for (const [name, values] of [
  ['PARLEY_GATEWAY_TOKEN_DAYS', ['0', '36501']],
  ['PARLEY_GATEWAY_JOB_AFTER_MS', ['2147483648']],
  ['PARLEY_GATEWAY_STREAM_SILENCE_MS', ['0', '2147483648']],
  ['PARLEY_GATEWAY_RECEIVE_MS', ['0', '2147483648']],
] as const) {
  test(`${name} is refused if it does not fit a timer or date`, () => {
    for (const value of values) refuses(gatewaySettings, name, value)
  })
}
