import assert from 'node:assert/strict'
import { readSettings } from '@parley/service/settings'
import { refuses } from '@parley/service/test-refused-setting'
import { test } from 'vitest'
import { pushSettings } from './settings.ts'

for (const [name, value] of [
  ['PARLEY_PUSH_CALL_TIMEOUT_MS', '0'],
  ['PARLEY_PUSH_NETWORK_TIMEOUT_MS', '0'],
  ['PARLEY_PUSH_PROBE_MS', '0'],
] as const) {
  test(`${name} is refused if it would end or refuse everything`, () => {
    refuses(pushSettings, name, value)
  })
}

test('a service account without fields names each of them', () => {
  const env = { PARLEY_PUSH_FCM_SERVICE_ACCOUNT: '{"project_id":"p","client_email":"e"}' }
  assert.throws(() => readSettings(pushSettings, env), {
    message: /PARLEY_PUSH_FCM_SERVICE_ACCOUNT is not usable: private_key: .*, token_uri: /,
  })
})
