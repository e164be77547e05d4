import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, test } from 'vitest'
import { httpCall } from './http-call.ts'

test('a call can override the timeout', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  await new Promise((resolve) => silent.once('listening', resolve))
  const { port } = silent.address() as AddressInfo
  const patient = { url: `http://127.0.0.1:${port}`, headers: () => ({}), timeoutMS: 600_000 }
  const call = httpCall(patient, 'GET /me', {}, { timeoutMS: 10 })
  await assert.rejects(call, { code: 'NETWORK_ERROR', status: 0 })
})
