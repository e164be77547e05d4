import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { createSocketServer } from '@parley/socketio/server'
import { ConnectError } from '@parley/socketio/sockets/namespace'
import type { Socket } from '@parley/socketio/sockets/socket'
import { App, us_socket_local_port } from '@parley/socketio/uws'
import { eventually } from '@parley/stack/eventually'
import { io } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { heard, type Node, startNode, stockClient } from './nodes.ts'

const WAYS: [string, ('polling' | 'websocket')[]][] = [
  ['by WebSocket', ['websocket']],
  ['by long-polling', ['polling']],
  ['upgraded from polling to WebSocket', ['polling', 'websocket']],
]

for (const [name, transports] of WAYS) {
  describe(`a stock client ${name}`, () => {
    const gone: string[] = []
    const failures: unknown[] = []
    const upgraded: string[] = []
    let node: Node
    beforeAll(async () => {
      node = await startNode({
        pingIntervalMS: 200,
        trustedProxies: 1,
        keepHeaders: ['x-kept'],
        onConnect: (socket) => {
          if (socket.auth['refuse']) throw new ConnectError('not you', { code: 'REFUSED' })
        },
        onUpgrade: (socket) => upgraded.push(`${socket.id} to ${socket.transport}`),
        onDisconnect: (_socket, reason) => gone.push(reason),
        onError: (error) => failures.push(error),
        events: {
          echo: (_socket, args, ack) => ack?.(...args),
          fail: () => {
            throw new Error('a handler failed')
          },
        },
      })
    })
    afterAll(() => node.stop())

    async function connected(options = {}) {
      const client = await stockClient(node.url, transports, options)
      const socket = node.server.sockets.get(client.id ?? '')
      assert.ok(socket)
      await eventually('the server knows of the upgrade', () => socket.transport === transports.at(-1))
      return { client, socket }
    }

    test('has the same ID on both sides, on the chosen transport', async () => {
      const { client, socket } = await connected()
      assert.equal(socket.id, client.id)
      assert.equal(socket.transport, transports.at(-1))
      client.close()
    })

    test('upgrades once, if it can', async () => {
      upgraded.length = 0
      const { client, socket } = await connected()
      assert.deepEqual(upgraded, transports.length > 1 ? [`${socket.id} to websocket`] : [])
      client.close()
    })

    for (const [how, options] of [
      ['binary ones too', {}],
      ['binary ones in base64 too', { forceBase64: true }],
    ] as const) {
      test(`gets events with arguments acknowledged, ${how}`, async () => {
        const { client } = await connected(options)
        const args = await new Promise<unknown[]>((resolve) => {
          client.emit('echo', 'ü', { deep: [Buffer.from('bytes')] }, (...back: unknown[]) => resolve(back))
        })
        assert.deepEqual(args, ['ü', { deep: [Buffer.from('bytes')] }])
        client.close()
      })
    }

    test('acknowledges events of the server', async () => {
      const { client, socket } = await connected()
      client.on('sum', (a: number, b: number, ack: (sum: number) => void) => ack(a + b))
      assert.deepEqual(await socket.emitWithAck('sum', [1, 2], 5000), [3])
      client.close()
    })

    test('fails acknowledgements that are late, or outstanding when the client leaves', async () => {
      const { client, socket } = await connected()
      await assert.rejects(socket.emitWithAck('unheard', [], 10), /no acknowledgement within 10 ms/)
      const outstanding = socket.emitWithAck('unheard', [], 60_000)
      client.close()
      await assert.rejects(outstanding, /disconnected/)
    })

    test('sends auth, query, address and kept headers', async () => {
      const { client, socket } = await connected({
        auth: { token: 't' },
        query: { lang: 'de' },
        extraHeaders: { 'x-forwarded-for': '10.9.9.9, 192.0.2.7', 'x-kept': 'yes' },
      })
      assert.deepEqual(socket.handshake.auth, { token: 't' })
      assert.equal(socket.handshake.query.get('lang'), 'de')
      assert.equal(socket.handshake.address, '192.0.2.7')
      assert.deepEqual(socket.handshake.headers, { 'x-kept': 'yes' })
      client.close()
    })

    test('stays connected over many heartbeats', async () => {
      const { client, socket } = await connected()
      let pings = 0
      client.io.engine.on('packet', ({ type }: { type: string }) => {
        if (type === 'ping') pings++
      })
      await eventually('four pings', () => pings >= 4)
      assert.equal(socket.connected, true)
      assert.equal(client.connected, true)
      client.close()
    })

    test('gets the reason for a refusal in a connect error', async () => {
      const client = io(node.url, { transports, forceNew: true, auth: { refuse: true }, reconnection: false })
      const [error] = (await heard(client, 'connect_error')) as [Error & { data: unknown }]
      assert.equal(error.message, 'not you')
      assert.deepEqual(error.data, { code: 'REFUSED' })
      client.close()
    })

    test('stays away after a disconnect', async () => {
      const { client, socket } = await connected({ reconnectionDelay: 1 })
      const left = heard(client, 'disconnect')
      socket.disconnect(true)
      assert.deepEqual((await left)[0], 'io server disconnect')
      assert.equal(gone.at(-1), 'server namespace disconnect')
      assert.equal(client.active, false)
    })

    test('reconnects after a transport close', async () => {
      const { client, socket } = await connected({ reconnectionDelay: 1, reconnectionDelayMax: 10 })
      const left = heard(client, 'disconnect')
      const back = heard(client, 'connect')
      socket.closeTransport('draining')
      assert.deepEqual((await left)[0], 'transport close')
      assert.equal(gone.at(-1), 'draining')
      await back
      assert.notEqual(client.id, socket.id)
      client.close()
    })

    test('stays connected if a handler throws', async () => {
      const { client } = await connected()
      client.emit('fail')
      assert.deepEqual(await client.emitWithAck('echo', 1), 1)
      assert.match(String(failures.at(-1)), /a handler failed/)
      client.close()
    })

    test('leaves nothing behind', async () => {
      await eventually('no sockets', () => node.server.sockets.size === 0)
      const { connections } = node.server.counters
      await eventually('no connections', () => connections.websocket === 0 && connections.polling === 0)
    })
  })
}

describe('a server', () => {
  test('refuses a request to connect with the status of its admission hook', async () => {
    const node = await startNode({
      admit: ({ address, header }) =>
        header('user-agent') === 'wanted'
          ? undefined
          : { status: 429, message: `enough of ${address}`, retryAfterSeconds: 7 },
    })
    const url = `${node.url}/socket.io/?EIO=4&transport=polling`
    const refused = await fetch(url)
    assert.equal(refused.status, 429)
    assert.equal(refused.headers.get('retry-after'), '7')
    assert.deepEqual(await refused.json(), { code: 4, message: 'enough of 127.0.0.1' })
    assert.equal((await fetch(url, { headers: { 'user-agent': 'wanted' } })).status, 200)
    const client = io(node.url, { transports: ['websocket'], reconnection: false })
    await heard(client, 'connect_error')
    assert.deepEqual(node.server.counters.refused, { 'enough of 127.0.0.1': 2 })
    node.stop()
  })

  test('uses the address and port that the last proxy added, even in a separate header line', async () => {
    const node = await startNode({
      trustedProxies: 1,
      admit: ({ address, port }) => ({ status: 429, message: `${address} ${port}` }),
    })
    const url = `${node.url}/socket.io/?EIO=4&transport=polling`
    for (const [forwarded, realPort, message] of [
      [['198.51.100.1', '192.0.2.7'], [], '192.0.2.7 undefined'],
      [['198.51.100.1:1', '192.0.2.7:50123'], ['2'], '192.0.2.7 50123'],
      [['[2001:db8::7]:50123'], [], '2001:db8::7 50123'],
      [['2001:db8::7'], ['50123'], '2001:db8::7 50123'],
      [['192.0.2.7'], ['65536'], '192.0.2.7 undefined'],
      [['192.0.2.7'], ['-1'], '192.0.2.7 undefined'],
      [['192.0.2.7'], ['x'], '192.0.2.7 undefined'],
    ] as const) {
      const headers = { 'x-forwarded-for': [...forwarded], 'x-real-port': [...realPort] }
      const refused = await new Promise<IncomingMessage>((resolve, reject) => {
        get(url, { headers }, resolve).on('error', reject)
      })
      assert.deepEqual(await json(refused), { code: 4, message })
    }
    node.stop()
  })

  test('can accept a socket asynchronously; until then, the socket gets nothing', async () => {
    const decided = Promise.withResolvers<void>()
    const seen: Socket<unknown>[] = []
    const node = await startNode({
      onConnect: (socket) => {
        seen.push(socket)
        return decided.promise
      },
      onConnection: (socket) => socket.emit('welcome'),
    })
    const client = io(node.url, { transports: ['websocket'], forceNew: true })
    const welcome = heard(client, 'welcome')
    await eventually('onConnect is called', () => seen.length === 1)
    assert.equal(client.connected, false)
    assert.equal(node.server.sockets.size, 0)
    decided.resolve()
    await welcome
    client.close()
    node.stop()
  })

  test('lets browsers of allowed origins poll, and no others', async () => {
    const node = await startNode({ cors: { origin: ['https://app.example'], credentials: true } })
    const url = `${node.url}/socket.io/?EIO=4&transport=polling`
    const allowed = await fetch(url, { headers: { origin: 'https://app.example' } })
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example')
    assert.equal(allowed.headers.get('access-control-allow-credentials'), 'true')
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://app.example' } })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'GET, POST')
    const other = await fetch(url, { headers: { origin: 'https://evil.example' } })
    assert.equal(other.headers.get('access-control-allow-origin'), null)
    node.stop()
  })

  test('reports every connection by address, with or without a socket', async () => {
    const reported: string[] = []
    const node = await startNode({
      onTransportOpen: ({ address }) => reported.push(`open ${address}`),
      onTransportClose: ({ address }, reason) => reported.push(`close ${address} ${reason}`),
    })
    const url = `${node.url}/socket.io/?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(url)).text()).slice(1)) as { sid: string }
    await fetch(`${url}&sid=${sid}`, { method: 'POST', body: '1' })
    assert.deepEqual(reported, ['open 127.0.0.1', 'close 127.0.0.1 transport close'])
    node.stop()
  })

  test('refuses clients with 503 once it is closing', async () => {
    const node = await startNode()
    node.server.close('draining')
    const refused = await fetch(`${node.url}/socket.io/?EIO=4&transport=polling`)
    assert.equal(refused.status, 503)
    // The connection is closed, so that the client's next one can reach another server.
    assert.equal(refused.headers.get('connection'), 'close')
    node.stop()
  })

  test('separates the rooms of two paths of one app', async () => {
    const app = App()
    const servers = ['/one/', '/two/'].map((path) =>
      createSocketServer({ app, path, initialData: () => ({}), onConnection: (socket) => socket.join('same') }),
    )
    const port = await new Promise<number>((resolve) => {
      app.listen('127.0.0.1', 0, (listening) => resolve(listening ? us_socket_local_port(listening) : 0))
    })
    const clients = await Promise.all(
      ['/one/', '/two/'].map((path) => stockClient(`http://127.0.0.1:${port}`, ['websocket'], { path })),
    )
    const seen: unknown[][] = clients.map(() => [])
    for (const [index, client] of clients.entries())
      client.on('event', (payload: unknown) => seen[index]?.push(payload))
    servers[0]?.publish('same', 'event', '"of one"')
    servers[1]?.publish('same', 'event', '"of two"')
    await eventually('both events', () => seen.flat().length >= 2)
    assert.deepEqual(seen, [['of one'], ['of two']])
    for (const client of clients) client.close()
    for (const server of servers) server.close('done')
    app.close()
  })
})
