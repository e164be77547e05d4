import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { listenOnLoopback } from '@parley/stack/loopback'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Bus, connectBus } from './connect.ts'

test('servers in a list can omit the scheme from the second one on', async () => {
  const servers = await isolatedServers()
  const { username, password, host } = new URL(servers.natsUrl)
  // Nothing listens on the first port.
  const bus = await connectBus(`nats://${username}:${password}@127.0.0.1:1,${host}`, 'list')
  assert.equal(bus.nats.getServer(), host)
  await bus.close()
  await servers.stop()
})

/** A NATS server that only sends INFO and answers pings, for one connection. @returns its port */
async function greetingServer(info: object, onData: (socket: Socket, data: Buffer) => void = () => undefined) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    const needed = { server_id: 'greets', version: '2.12.0', proto: 1, headers: true, max_payload: 2 ** 20 }
    socket.write(`INFO ${JSON.stringify({ ...needed, ...info })}\r\n`)
    socket.on('data', (data) => {
      if (data.includes('PING')) socket.write('PONG\r\n')
      onData(socket, data)
    })
    server.close()
  })
  return listenOnLoopback(server)
}

test('an outdated server is refused with its version and the required one', async () => {
  const port = await greetingServer({ version: '2.9.25' })
  await assert.rejects(
    connectBus(`nats://127.0.0.1:${port}`, 'old', {}, { isService: true }),
    /^Error: the server has version 2\.9\.25: Parley needs 2\.10 or newer$/,
  )
})

test('a service that closes before it has reached NATS reports no connection', async () => {
  const tries = Promise.withResolvers<void>()
  let count = 0
  const silent = createServer((socket) => {
    socket.on('error', () => undefined)
    if (++count === 2) tries.resolve()
  })
  const port = await listenOnLoopback(silent)
  const reported: string[] = []
  const events = { onDisconnect: () => reported.push('away'), onReconnect: () => reported.push('back') }
  const bus = await connectBus(`nats://127.0.0.1:${port}`, 'early', events, { isService: true })
  bus.onBack(() => reported.push('handled'))
  await tries.promise
  await bus.close()
  assert.deepEqual(reported, ['away'])
  silent.close()
})

test('a server that hangs while receiving much data is abandoned for another', async () => {
  const servers = await isolatedServers()
  const { username, password, host } = new URL(servers.natsUrl)
  const port = await greetingServer({ connect_urls: [host] }, (socket, data) => {
    if (data.includes('PUB')) socket.pause()
  })
  const bus = await connectBus(`nats://${username}:${password}@127.0.0.1:${port}`, 'hanging', {}, {}, 100)
  const back = Promise.withResolvers<void>()
  bus.onBack(back.resolve)
  // More than the buffers of both sockets hold.
  for (let i = 0; i < 20_000; i++) bus.nats.publish('subject', 'x'.repeat(1_024))
  await back.promise
  assert.equal(bus.nats.getServer(), host)
  await bus.nats.flush()
  await bus.close()
  await servers.stop()
})

describe('two NATS users in separate accounts', () => {
  let servers: Servers[]
  let buses: Bus[]
  beforeAll(async () => {
    servers = [await isolatedServers(), await isolatedServers()]
    buses = await Promise.all(servers.map(({ natsUrl }) => connectBus(natsUrl, 'account')))
  })
  afterAll(async () => {
    await Promise.all(buses.map((bus) => bus.close()))
    await Promise.all(servers.map((each) => each.stop()))
  })

  test("do not receive each other's messages", async () => {
    const heard: string[][] = [[], []]
    for (const [i, { nats }] of buses.entries()) {
      nats.subscribe('subject', { callback: (_error, message) => void heard[i]?.push(message.string()) })
      await nats.flush()
    }
    for (const [i, { nats }] of buses.entries()) {
      nats.publish('subject', String(i))
      // Subscriptions of one connection are served in order: after this round trip all earlier messages have arrived.
      await nats.flush()
    }
    assert.deepEqual(heard, [['0'], ['1']])
  })
})
