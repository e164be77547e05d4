/** Errors of handlers go to `onError`, and have no other effect. */
import assert from 'node:assert/strict'
import type { SocketServerOptions } from '@parley/socketio/server-options'
import { eventually } from '@parley/stack/eventually'
import { afterEach, beforeEach, describe, test } from 'vitest'
import { type Node, startNode, stockClient } from './nodes.ts'
import { nextText, type RawSocket, rawPolling, rawRequest, rawSocket } from './raw-client.ts'

const fault = (name: string) => () => {
  throw new Error(name)
}

describe('a handler that throws', () => {
  let node: Node | undefined
  let reported: string[]
  beforeEach(() => {
    reported = []
  })
  afterEach(() => node?.stop())

  async function start(options: Partial<SocketServerOptions<unknown>>): Promise<Node> {
    node = await startNode({
      onError: (error) => reported.push(error instanceof Error ? error.message : String(error)),
      events: { echo: (_socket, args, ack) => ack?.(...args) },
      ...options,
    })
    return node
  }
  async function connected({ url }: Node): Promise<RawSocket> {
    const socket = rawSocket(`${url}/socket.io/?EIO=4&transport=websocket`)
    await socket.next()
    socket.send('40')
    assert.match(await nextText(socket), /^40/)
    return socket
  }
  async function isServed(socket: RawSocket): Promise<void> {
    socket.send('421["echo","served"]')
    assert.equal(await socket.next(), '431["served"]')
  }

  test('when a client disconnects leaves its connection, and ends the socket', async () => {
    const gone: string[] = []
    const running = await start({
      onConnection: (socket) => {
        for (const room of ['one', 'two']) socket.join(room)
        socket.onDisconnect = fault('own onDisconnect')
      },
      onDisconnect: (_socket, reason) => {
        gone.push(reason)
        throw new Error('onDisconnect')
      },
      onTopicEmpty: (room) => fault(`onTopicEmpty ${room}`)(),
      namespaces: { '/other': { events: { echo: (_socket, args, ack) => ack?.(...args) } } },
    })
    const socket = await connected(running)
    socket.send('40/other,')
    await socket.next()
    socket.send('41')
    socket.send('42/other,1["echo","served"]')
    assert.equal(await socket.next(), '43/other,1["served"]')
    assert.deepEqual(reported, ['onTopicEmpty one', 'onTopicEmpty two', 'own onDisconnect', 'onDisconnect'])
    assert.deepEqual([running.server.topicSize('one'), running.server.topicSize('two')], [0, 0])
    assert.deepEqual([running.server.counters.closes, running.server.sockets.size], [{}, 0])
    assert.deepEqual(gone, ['client namespace disconnect'])
    socket.close()
  })

  test('when a transport closes releases all of its sockets', async () => {
    const running = await start({
      onDisconnect: fault('main'),
      onTransportClose: fault('transport'),
      namespaces: { '/other': { onDisconnect: fault('other') } },
    })
    const socket = await connected(running)
    socket.send('40/other,')
    await socket.next()
    socket.close()
    await eventually('all faults are reported', () => reported.length === 3)
    assert.deepEqual(reported, ['main', 'other', 'transport'])
    assert.equal(running.server.sockets.size, 0)
  })

  test('when a socket connects leaves it connected', async () => {
    const running = await start({ onConnection: fault('onConnection'), onTransportOpen: fault('onTransportOpen') })
    const socket = await connected(running)
    await isServed(socket)
    assert.deepEqual(reported, ['onTransportOpen', 'onConnection'])
    socket.close()
  })

  test('on an event leaves the socket, and is no parse error', async () => {
    const running = await start({ onEvent: (_socket, event) => (event === 'bad' ? fault('onEvent')() : true) })
    const socket = await connected(running)
    socket.send('42["bad"]')
    await isServed(socket)
    assert.deepEqual(reported, ['onEvent'])
    socket.close()
  })

  test('on an unhandled event, or in a promise, is reported too', async () => {
    const running = await start({ otherEvents: () => Promise.reject(new Error('otherEvents')) })
    const socket = await connected(running)
    socket.send('42["whatever"]')
    await isServed(socket)
    await eventually('the fault is reported', () => reported.length > 0)
    assert.deepEqual(reported, ['otherEvents'])
    socket.close()
  })

  for (const options of [
    { initialData: fault('fault') },
    { onConnect: fault('fault') },
    { onConnect: () => Promise.reject(new Error('fault')) },
  ]) {
    test(`in ${Object.keys(options).join()} refuses the socket, not the connection`, async () => {
      const running = await start(options)
      const socket = rawSocket(`${running.url}/socket.io/?EIO=4&transport=websocket`)
      await socket.next()
      for (let attempt = 0; attempt < 2; attempt++) {
        socket.send('40')
        assert.equal(await socket.next(), '44{"message":"Internal error"}')
      }
      assert.deepEqual(reported, ['fault', 'fault'])
      socket.close()
    })
  }

  test('in the admission of a connection answers 503', async () => {
    const running = await start({ admit: fault('admit') })
    const { status, text } = await rawRequest(`${running.url}/socket.io/?EIO=4&transport=polling`)
    assert.deepEqual([status, JSON.parse(text)], [503, { code: 4, message: 'Internal error' }])
    assert.deepEqual(reported, ['admit'])
  })

  test('when a session upgrades leaves it upgraded', async () => {
    const running = await start({ onUpgrade: fault('onUpgrade') })
    const client = await stockClient(running.url, ['polling', 'websocket'])
    assert.equal(await client.emitWithAck('echo', 'served'), 'served')
    await eventually('the fault is reported', () => reported.length > 0)
    assert.deepEqual(reported, ['onUpgrade'])
    assert.equal(await client.emitWithAck('echo', 'served'), 'served')
    client.close()
  })

  test('on a polled event ends neither the poll nor its other packets', async () => {
    const running = await start({ onEvent: (_socket, event) => (event === 'bad' ? fault('onEvent')() : true) })
    const polling = await rawPolling(`${running.url}/socket.io/`)
    await polling.post('40')
    await polling.poll()
    assert.deepEqual(await polling.post('42["bad"]\x1e421["echo","served"]'), { status: 200, text: 'ok' })
    assert.equal((await polling.poll()).text, '431["served"]')
    assert.deepEqual(reported, ['onEvent'])
    await polling.post('1')
  })
})
