import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished, test } from 'vitest'
import { letConnectionsGo } from './connections.ts'

test('before it stops, a server serves what comes on connections that are kept alive, and lets their clients close them', async () => {
  const server = createServer((_request, response) => response.end('served')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => {
    agent.destroy()
    server.close()
  })
  const get = async () => {
    const sent = request({ agent, host: '127.0.0.1', port: (server.address() as AddressInfo).port }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    await response.toArray()
    return { reused: sent.reusedSocket, connection: response.headers.connection }
  }
  assert.deepEqual(await get(), { reused: false, connection: 'keep-alive' })
  const gone = letConnectionsGo(server, 60_000)
  assert.deepEqual(await get(), { reused: true, connection: 'close' })
  // Long before the minute is over: the only connection is closed.
  await gone
  const left = await new Promise((resolve) => server.getConnections((_error, count) => resolve(count)))
  assert.equal(left, 0)
})
