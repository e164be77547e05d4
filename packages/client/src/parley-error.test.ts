import assert from 'node:assert/strict'
import { test } from 'vitest'
import { emitChecked } from './connection/login.ts'
import { ParleyError } from './parley-error.ts'

test('a socket send refused by slow mode has retryAfterMS', async () => {
  const error = { code: 'SLOW_MODE', message: 'wait', retryAfterMS: 60_000 }
  const refused = emitChecked(async () => ({ RC: 429, RM: 'wait', error }), 'sendMessage')
  await assert.rejects(refused, (thrown) => thrown instanceof ParleyError && thrown.retryAfterMS === 60_000)
})
