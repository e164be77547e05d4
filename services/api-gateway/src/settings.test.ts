import assert from 'node:assert/strict'
import { readSettings, SettingsError } from '@parley/service/settings'
import { test } from 'vitest'
import { gatewaySettings } from './settings.ts'

for (const [name, values] of [
  ['PARLEY_GATEWAY_TOKEN_DAYS', ['0', '36501']],
  ['PARLEY_GATEWAY_JOB_AFTER_MS', ['2147483648']],
  ['PARLEY_GATEWAY_STREAM_SILENCE_MS', ['0', '2147483648']],
  ['PARLEY_GATEWAY_RECEIVE_MS', ['0', '2147483648']],
] as const) {
  test(`${name} is refused where no timer or date can be made of it`, () => {
    for (const value of values) {
      assert.throws(
        () => readSettings(gatewaySettings, { [name]: value }),
        (error) => error instanceof SettingsError && error.message.includes(`${name} ("${value}") is not usable`),
      )
    }
  })
}
