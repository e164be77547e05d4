import { refuses } from '@parley/service/test-refused-setting'
import { test } from 'vitest'
import { realtimeSettings } from './settings.ts'

for (const [name, value] of [
  ['PARLEY_REALTIME_PING_INTERVAL_MS', '0'],
  ['PARLEY_REALTIME_PING_TIMEOUT_MS', '99'],
  ['PARLEY_REALTIME_AUTHENTICATE_WITHIN_MS', '0'],
  ['PARLEY_REALTIME_SERVER_TIME_EVERY_MS', '0'],
  ['PARLEY_REALTIME_MAX_PAYLOAD', '0'],
  ['PARLEY_REALTIME_MAX_BUFFERED_BYTES', '1023'],
] as const) {
  test(`${name} is refused if it would end or refuse everything`, () => {
    refuses(realtimeSettings, name, value)
  })
}
