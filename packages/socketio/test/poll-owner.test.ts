import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import type { PollOwner } from '@parley/socketio/polling/poll-owner'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { heard, type Node, startNode, stockClient } from './nodes.ts'
import { nextText, type RawSocket, rawPolling, rawRequest, rawSocket } from './raw-client.ts'
import { frame, stuckWebSocket } from './stuck-socket.ts'

/** A TCP load balancer without sticky sessions, which uses the nodes in turn. */
function roundRobin(ports: () => number[]): Promise<{ url: string; server: Server }> {
  let turn = 0
  const server = createServer()
  server.removeAllListeners('connection')
  server.on('connection', (client) => {
    const all = ports()
    const node = connect(all[turn++ % all.length] ?? 0, '127.0.0.1')
    client.pipe(node).pipe(client)
    client.on('error', () => node.destroy())
    node.on('error', () => client.destroy())
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server })
    })
  })
}

describe('several nodes', () => {
  const nodes = new Map<string, Node>()
  const gone: string[] = []
  const upgraded: string[] = []
  const asked: string[] = []
  const said: unknown[] = []
  /** Number of forwarded requests being served. */
  let beingServed = 0
  /** While set, posts of bridges are delayed. */
  let held: Promise<void> | undefined
  let balancer: Awaited<ReturnType<typeof roundRobin>>

  /** Stands in for a bus: a call that is answered in a later turn of the event loop, with JSON both ways. */
  const pollOwner: PollOwner = {
    isAlive: (nodeId) => nodes.has(nodeId),
    reach: async (nodeId, poll, signal) => {
      asked.push(poll.method)
      if (poll.method === 'PUSH') await held
      const owner = nodes.get(nodeId)
      if (owner === undefined) throw new Error(`no node ${nodeId}`)
      await new Promise(setImmediate)
      beingServed++
      const serving = owner.server.serveForwarded(JSON.parse(JSON.stringify(poll)), signal)
      return JSON.parse(JSON.stringify(await serving.finally(() => beingServed--)))
    },
  }
  const node = (nodeId: string): Node => nodes.get(nodeId) as Node
  const base = (nodeId: string) => `${node(nodeId).url}/socket.io/`

  beforeAll(async () => {
    for (const nodeId of ['n1', 'n2', 'n3']) {
      nodes.set(
        nodeId,
        await startNode({
          nodeId,
          pollOwner,
          pingIntervalMS: 200,
          onConnection: (socket) => socket.join('all'),
          onUpgrade: (socket) => upgraded.push(socket.transport),
          onDisconnect: (_socket, reason) => gone.push(reason),
          events: {
            echo: (_socket, args, ack) => ack?.(...args),
            say: (_socket, [text]) => void said.push(text),
            size: (_socket, [text], ack) => ack?.(String(text).length),
          },
        }),
      )
    }
    balancer = await roundRobin(() => [...nodes.values()].map(({ url }) => Number(new URL(url).port)))
  })
  beforeEach(() => {
    gone.length = 0
    asked.length = 0
  })
  afterAll(() => {
    balancer.server.close()
    for (const { stop } of nodes.values()) stop()
  })
  const publishEverywhere = (payload: unknown) => {
    for (const { server } of nodes.values()) server.publish('all', 'event', JSON.stringify(payload))
  }

  for (const transports of [['polling'], ['polling', 'websocket']] as ('polling' | 'websocket')[][]) {
    test(`serve a stock client by ${transports.join(' then ')} whichever node it reaches`, async () => {
      const isForwarded = () => asked.includes('GET') && asked.includes('POST')
      let rounds = 0
      // The node of a request is random: repeat until some were not the owner.
      for (; rounds < 6 || (!isForwarded() && rounds < 60); rounds++) {
        const client = await stockClient(balancer.url, transports, { agent: false, reconnection: false })
        const received: unknown[] = []
        client.on('event', (payload: unknown) => received.push(payload))
        for (let message = 0; message < 20; message++) {
          assert.deepEqual(await client.emitWithAck('echo', { message, bytes: Buffer.from([message]) }), {
            message,
            bytes: Buffer.from([message]),
          })
          publishEverywhere(message)
        }
        await eventually('all events', () => received.length === 20)
        assert.deepEqual(
          received,
          received.map((_, index) => index),
        )
        client.close()
      }
      assert.ok(isForwarded())
      if (transports.length > 1) assert.ok(asked.includes('PROBE') && asked.includes('TAKE') && asked.includes('PUSH'))
      await eventually('nobody is left', () => [...nodes.values()].every(({ server }) => server.sockets.size === 0))
      assert.equal(gone.length, rounds)
    })
  }

  test('end a session when its client gives up a forwarded poll', async () => {
    // A long ping interval: a ping would end the poll first.
    const owner = await startNode({ nodeId: 'n4', onDisconnect: (_socket, reason) => gone.push(reason) })
    nodes.set('n4', owner)
    const polling = await rawPolling(base('n4'))
    await polling.post('40')
    await polling.poll()
    const url = new URL(`${base('n2')}?EIO=4&transport=polling&sid=${polling.sid}`)
    const forwarded = request(url)
    forwarded.on('error', () => forwarded.destroy())
    forwarded.end()
    await eventually('the poll is forwarded', () => asked.includes('GET'))
    forwarded.destroy()
    await eventually('the session has ended', () => gone.length === 1)
    assert.deepEqual(gone, ['transport error'])
    assert.equal((await polling.poll()).status, 400)
    await eventually('no owner has a poll of a client that is gone', () => beingServed === 0)
    nodes.delete('n4')
    owner.stop()
  })

  describe('when one dies with a forwarded poll, which a proxy then repeats', () => {
    const pollBy = (nodeId: string, sid: string, name: string) =>
      rawRequest(`${base(nodeId)}?EIO=4&transport=polling&sid=${sid}&t=${name}`)
    async function session() {
      const polling = await rawPolling(base('n1'))
      await polling.post('40')
      assert.match((await pollBy('n2', polling.sid, 'first')).text, /^40/)
      return polling
    }
    const emit = (payload: string) => node('n1').server.publish('all', 'event', JSON.stringify(payload))
    /** The packets of the responses, without pings. */
    const packets = (...responses: { text: string }[]) =>
      responses.flatMap(({ text }) => text.split('\x1e')).filter((packet) => packet !== '2')

    test('through another: the response is the same, and the next poll gets the following packets', async () => {
      const { sid, post } = await session()
      emit('one')
      const lost = packets(await pollBy('n2', sid, 'second'))
      emit('two')
      assert.deepEqual(packets(await pollBy('n3', sid, 'second')), lost)
      assert.deepEqual(packets(await pollBy('n1', sid, 'second')), lost)
      const rest = packets(await pollBy('n3', sid, 'third'))
      assert.deepEqual([...lost, ...rest].at(-1), '42["event","two"]')
      assert.equal([...lost, ...rest].filter((packet) => packet === '42["event","one"]').length, 1)
      await post('1')
    })

    test('while it waits: the repeat gets the new packets', async () => {
      const { sid, post } = await session()
      const waits = () => asked.filter((method) => method === 'GET').length
      asked.length = 0
      const first = pollBy('n2', sid, 'second')
      await eventually('the first is forwarded', () => waits() === 1)
      const second = pollBy('n3', sid, 'second')
      await eventually('the second is forwarded', () => waits() === 2)
      emit('one')
      const [before, after] = [await first, await second]
      assert.deepEqual([before.status, after.status], [200, 200])
      const rest = after.text === '2' ? await pollBy('n3', sid, 'third') : { text: '' }
      assert.ok(packets(before, after, rest).includes('42["event","one"]'))
      assert.deepEqual(gone, [])
      await post('1')
    })

    test('through the same node: the same name is a new poll', async () => {
      const { sid, post } = await session()
      emit('one')
      const one = packets(await pollBy('n2', sid, 'same'))
      emit('two')
      assert.notDeepEqual(packets(await pollBy('n2', sid, 'same')), one)
      await post('1')
    })
  })

  test('bridge an upgrade, heartbeats included, until either side closes', async () => {
    for (const side of ['client', 'owner'] as const) {
      gone.length = 0
      upgraded.length = 0
      const polling = await rawPolling(base('n1'))
      await polling.post('40')
      const { text: first } = await polling.poll()
      const waiting = polling.poll()
      const socket = rawSocket(`${base('n3')}?EIO=4&transport=websocket&sid=${polling.sid}`)
      await socket.opened
      socket.send('2probe')
      assert.equal(await socket.next(), '3probe')
      const { text: last } = await waiting
      assert.match(last, /^[26]$/)
      const { connections } = node('n1').server.counters
      assert.deepEqual([upgraded, connections], [[], { polling: 1, websocket: 0, bridge: 0 }])
      socket.send('5')
      await eventually('the owner knows of the upgrade', () => upgraded.length > 0)
      // A ping received by a poll still needs its pong: the next ping comes only after it.
      if ([...first.split('\x1e'), last].includes('2')) socket.send('3')
      assert.deepEqual([upgraded, connections], [['websocket'], { polling: 0, websocket: 1, bridge: 0 }])
      for (let pings = 0; pings < 3; pings++) {
        assert.equal(await socket.next(), '2')
        socket.send('3')
      }
      assert.equal((await polling.poll()).status, 400)
      if (side === 'client') socket.close()
      else for (const owned of node('n1').server.sockets.values()) owned.disconnect(true)
      if (side === 'owner') assert.equal(await socket.next(), '41')
      await socket.closed
      await eventually('the session has ended', () => gone.length === 1)
      assert.deepEqual(gone, [side === 'client' ? 'transport close' : 'server namespace disconnect'])
      assert.deepEqual([upgraded, connections], [['websocket'], { polling: 0, websocket: 0, bridge: 0 }])
    }
  })

  /** A connected socket of n1 with its WebSocket at another node. */
  async function bridged(by = base('n3')): Promise<RawSocket> {
    const polling = await rawPolling(base('n1'))
    await polling.post('40')
    await polling.poll()
    const waiting = polling.poll()
    const socket = rawSocket(`${by}?EIO=4&transport=websocket&sid=${polling.sid}`)
    await socket.opened
    socket.send('2probe')
    assert.equal(await socket.next(), '3probe')
    await waiting
    socket.send('5')
    return socket
  }

  test('accept packets sent right before a bridged WebSocket closes, and end its session with it', async () => {
    const socket = await bridged()
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    asked.length = 0
    for (let n = 1; n <= 3; n++) socket.send(`42["say",${n}]`)
    socket.close()
    await socket.closed
    await eventually('the bridge has gone', () => node('n3').server.counters.connections.bridge === 0)
    held = undefined
    hold.resolve()
    await eventually('the session has ended', () => gone.length > 0)
    assert.deepEqual([said, gone], [[1, 2, 3], ['transport close']])
    await eventually('nothing is left', () => beingServed === 0)
  })

  test('end a session whose bridge died silently', async () => {
    const socket = await bridged()
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    socket.send('42["say",1]')
    socket.close()
    await socket.closed
    await eventually('the bridge has gone', () => node('n3').server.counters.connections.bridge === 0)
    held = undefined
    hold.reject(new Error('no answer in time'))
    await eventually('the session has ended', () => gone.length > 0)
    assert.deepEqual(gone, ['transport error'])
    await eventually('nothing is left', () => beingServed === 0)
  })

  test('deliver the last packets of a session that its owner has ended, even if the client sends further packets', async () => {
    const polling = await rawPolling(base('n1'))
    await polling.post('40')
    await polling.poll()
    for (const owned of node('n1').server.sockets.values()) owned.disconnect(true)
    for (const nodeId of ['n1', 'n2']) {
      const url = `${base(nodeId)}?EIO=4&transport=polling&sid=${polling.sid}`
      const said = await rawRequest(url, { method: 'POST', body: '42["say","too late"]' })
      assert.deepEqual(said, { status: 200, text: 'ok' })
    }
    const inPieces = request(`${base('n2')}?EIO=4&transport=polling&sid=${polling.sid}`, { method: 'POST' })
    const answered = once(inPieces, 'response') as Promise<[IncomingMessage]>
    inPieces.write('42["say",')
    await eventually('the owner is asked', () => asked.includes('HOLDS'))
    inPieces.end('"too late"]')
    assert.equal((await answered)[0].statusCode, 200)
    assert.deepEqual([(await polling.poll()).text, (await polling.poll()).text], ['41', '1'])
    assert.equal((await polling.post('3')).status, 400)
  })

  test('take several large messages through a bridge while one is in flight', async () => {
    const socket = await bridged()
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    upgraded.length = 0
    asked.length = 0
    // The largest accepted message has 1,000,000 bytes.
    for (let id = 1; id <= 3; id++) socket.send(`42${id}["size","${'x'.repeat(600_000)}"]`)
    await eventually('the first is on its way', () => asked.includes('PUSH'))
    // Time to read the others.
    for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate)
    held = undefined
    hold.resolve()
    const acks: string[] = []
    while (acks.length < 3) {
      const packet = await nextText(socket)
      if (packet !== '2') acks.push(packet)
    }
    assert.deepEqual(acks, ['431[600000]', '432[600000]', '433[600000]'])
    socket.close()
    await socket.closed
  })

  test("close bridges on stop, after the owner has the clients' last packets", async () => {
    const stopping = await startNode({ nodeId: 'n5', pollOwner })
    const socket = await bridged(`${stopping.url}/socket.io/`)
    const hold = Promise.withResolvers<void>()
    held = hold.promise
    said.length = 0
    asked.length = 0
    for (let n = 1; n <= 3; n++) socket.send(`42["say",${n}]`)
    await eventually('the first is on its way', () => asked.includes('PUSH'))
    // Time to read the others.
    for (let turns = 0; turns < 100; turns++) await new Promise(setImmediate)
    stopping.stop()
    assert.deepEqual(await socket.closed, { code: 1000, reason: 'stopped' })
    held = undefined
    hold.resolve()
    await eventually('the session has ended', () => gone.length > 0)
    assert.deepEqual([said, gone], [[1, 2, 3], ['transport close']])
  })

  test("pull from the owner only as fast as the bridge's client reads; the backlog stays there, and arrives in order", async () => {
    // Without pings, since this client does not answer them.
    const owner = await startNode({
      ...{ nodeId: 'n4', pingIntervalMS: 600_000 },
      onConnection: (socket) => socket.join('all'),
      onDisconnect: (_socket, reason) => gone.push(reason),
    })
    nodes.set('n4', owner)
    const polling = await rawPolling(base('n4'))
    await polling.post('40')
    await polling.poll()
    const waiting = polling.poll()
    const stuck = await stuckWebSocket(node('n3').url, `/socket.io/?EIO=4&transport=websocket&sid=${polling.sid}`)
    let text = ''
    stuck.on('data', (data) => {
      text += data.toString('latin1')
    })
    stuck.write(frame('2probe'))
    await eventually('the probe is answered', () => text.endsWith('3probe'))
    await waiting
    stuck.write(frame('5'))
    stuck.pause()
    const { connections } = node('n3').server.counters
    const waitingBytes = () => [...owner.server.sockets.values()][0]?.connection.bufferedBytes ?? 0
    const isBridged = () => gone.length === 0 && connections.bridge === 1
    let last = 0
    // Bytes in the kernel's buffers do not count towards the limit.
    while (isBridged() && waitingBytes() < 300_000) {
      owner.server.publish('all', 'event', JSON.stringify({ text: 'x'.repeat(10_000), n: ++last }))
      for (let turns = 0; turns < 50 && waitingBytes() > 0; turns++) await new Promise(setImmediate)
    }
    assert.deepEqual([gone, connections.bridge], [[], 1])
    stuck.resume()
    await eventually('everything has come', () => text.endsWith(`"n":${last}}]`))
    assert.deepEqual(
      [...text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n)),
      Array.from({ length: last }, (_, index) => index + 1),
    )
    assert.deepEqual([gone, connections.bridge], [[], 1])
    stuck.destroy()
    await eventually('the session has ended', () => gone.length === 1)
    nodes.delete('n4')
    owner.stop()
  })

  test('without forwarding answer 400 to sessions of other nodes', async () => {
    const alone = await startNode({ nodeId: 'alone' })
    const url = `${alone.url}/socket.io/?EIO=4`
    const foreign = `n1.${'a'.repeat(20)}`
    assert.equal((await rawRequest(`${url}&transport=polling&sid=${foreign}`)).status, 400)
    await rawSocket(`${url}&transport=websocket&sid=${foreign}`).closed
    const client = await stockClient(alone.url, ['websocket'])
    const left = heard(client, 'disconnect')
    alone.stop()
    await left
    client.close()
  })
})
