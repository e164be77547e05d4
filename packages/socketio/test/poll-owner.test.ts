import assert from 'node:assert/strict'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { PollOwner } from '@parley/socketio/poll-owner'
import { heard, type Node, startNode, stockClient, until } from './nodes.ts'
import { rawPolling, rawRequest, rawSocket } from './raw-client.ts'

/** TCP to the nodes in turn: a load balancer that knows no sessions. */
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

describe('several nodes', { timeout: 30_000 }, () => {
  const nodes = new Map<string, Node>()
  const gone: string[] = []
  const asked: string[] = []
  let balancer: Awaited<ReturnType<typeof roundRobin>>

  /** What a service does over its bus, here by a call; JSON both ways. */
  const pollOwner: PollOwner = async (nodeId, poll, signal) => {
    asked.push(poll.method)
    const owner = nodes.get(nodeId)
    if (owner === undefined) throw new Error(`no node ${nodeId}`)
    const answer = await owner.server.serveForwarded(JSON.parse(JSON.stringify(poll)), signal)
    return JSON.parse(JSON.stringify(answer))
  }
  const node = (nodeId: string): Node => nodes.get(nodeId) as Node
  const base = (nodeId: string) => `${node(nodeId).url}/socket.io/`

  before(async () => {
    for (const nodeId of ['n1', 'n2', 'n3']) {
      nodes.set(
        nodeId,
        await startNode({
          nodeId,
          pollOwner,
          pingIntervalMs: 200,
          onConnection: (socket) => socket.join('all'),
          onDisconnect: (_socket, reason) => gone.push(reason),
          events: { echo: (_socket, args, ack) => ack?.(...args) },
        }),
      )
    }
    balancer = await roundRobin(() => [...nodes.values()].map(({ url }) => Number(new URL(url).port)))
  })
  beforeEach(() => {
    gone.length = 0
    asked.length = 0
  })
  after(() => {
    balancer.server.close()
    for (const { stop } of nodes.values()) stop()
  })
  const publishEverywhere = (payload: unknown) => {
    for (const { server } of nodes.values()) server.publish('all', 'event', JSON.stringify(payload))
  }

  for (const transports of [['polling'], ['polling', 'websocket']] as ('polling' | 'websocket')[][]) {
    it(`serve a stock client by ${transports.join(' then ')} whichever node it reaches`, async () => {
      const isForwarded = () => asked.includes('GET') && asked.includes('POST')
      let rounds = 0
      // Which node a request reaches is chance: as long as it takes until some were not the owner.
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
        await until(() => received.length === 20, 'all events')
        assert.deepEqual(
          received,
          received.map((_, index) => index),
        )
        client.close()
      }
      assert.ok(isForwarded())
      if (transports.length > 1) assert.ok(asked.includes('PROBE') && asked.includes('TAKE') && asked.includes('PUSH'))
      await until(() => [...nodes.values()].every(({ server }) => server.sockets.size === 0), 'nobody is left')
      assert.equal(gone.length, rounds)
    })
  }

  it('end a session when its client gives up a forwarded poll', async () => {
    const polling = await rawPolling(base('n1'))
    await polling.post('40')
    await polling.poll()
    const url = new URL(`${base('n2')}?EIO=4&transport=polling&sid=${polling.sid}`)
    const forwarded = request(url)
    forwarded.on('error', () => forwarded.destroy())
    forwarded.end()
    await until(() => asked.includes('GET'), 'the poll is forwarded')
    forwarded.destroy()
    await until(() => gone.length === 1, 'the session has ended')
    assert.deepEqual(gone, ['transport error'])
    assert.equal((await polling.poll()).status, 400)
  })

  it('bridge an upgrade, heartbeats included, until either side closes', async () => {
    for (const side of ['client', 'owner'] as const) {
      gone.length = 0
      const polling = await rawPolling(base('n1'))
      await polling.post('40')
      await polling.poll()
      const waiting = polling.poll()
      const socket = rawSocket(`${base('n3')}?EIO=4&transport=websocket&sid=${polling.sid}`)
      await socket.opened
      socket.send('2probe')
      assert.equal(await socket.next(), '3probe')
      assert.match((await waiting).text, /^[26]$/)
      socket.send('5')
      for (let pings = 0; pings < 3; pings++) {
        assert.equal(await socket.next(), '2')
        socket.send('3')
      }
      assert.equal((await polling.poll()).status, 400)
      if (side === 'client') socket.close()
      else for (const owned of node('n1').server.sockets.values()) owned.disconnect(true)
      if (side === 'owner') assert.equal(await socket.next(), '41')
      await socket.closed
      await until(() => gone.length === 1, 'the session has ended')
      assert.deepEqual(gone, [side === 'client' ? 'transport error' : 'server namespace disconnect'])
    }
  })

  it('answer as for an unknown session when the owner is out of reach', async () => {
    const answer = await rawRequest(`${base('n1')}?EIO=4&transport=polling&sid=gone.abc`)
    assert.equal(answer.status, 400)
    const socket = rawSocket(`${base('n1')}?EIO=4&transport=websocket&sid=gone.abc`)
    await socket.opened
    socket.send('2probe')
    assert.equal((await socket.closed).reason, 'session out of reach')
  })

  it('alone answer 400 to a session they do not hold', async () => {
    const alone = await startNode({ nodeId: 'alone' })
    const url = `${alone.url}/socket.io/?EIO=4`
    assert.equal((await rawRequest(`${url}&transport=polling&sid=n1.abc`)).status, 400)
    await rawSocket(`${url}&transport=websocket&sid=n1.abc`).closed
    const client = await stockClient(alone.url, ['websocket'])
    const left = heard(client, 'disconnect')
    alone.stop()
    await left
    client.close()
  })
})
