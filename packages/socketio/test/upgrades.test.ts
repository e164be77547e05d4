import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { PollOwner } from '@parley/socketio/polling/poll-owner'
import { eventually } from '@parley/stack/eventually'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type Node, startNode } from './nodes.ts'
import { nextText, parseOpen, type RawPolling, type RawSocket, rawPolling, rawSocket } from './raw-client.ts'
import { frame, stuckWebSocket } from './stuck-socket.ts'

const wsPing = Buffer.from([0x89, 0x80, 0, 0, 0, 0])

type Nodes = ReadonlyMap<string, Node>

/** Two nodes that can reach each other, with answers in a later turn of the event loop, as over a bus. */
async function startNodes(options: Parameters<typeof startNode>[0]): Promise<Nodes> {
  const nodes = new Map<string, Node>()
  const pollOwner: PollOwner = {
    isAlive: (nodeId) => nodes.has(nodeId),
    reach: async (nodeId, poll, signal) => {
      await new Promise(setImmediate)
      return (nodes.get(nodeId) as Node).server.serveForwarded(poll, signal)
    },
  }
  const events = {
    echo: (_socket: unknown, args: readonly unknown[], ack?: (...back: unknown[]) => void) => ack?.(...args),
  }
  for (const nodeId of ['n1', 'n2']) nodes.set(nodeId, await startNode({ nodeId, pollOwner, events, ...options }))
  return nodes
}

function stopNodes(nodes: Nodes): void {
  for (const { stop } of nodes.values()) stop()
}

/** A polling session of n1, and the URL of a WebSocket for it at a node. */
async function newSession(nodes: Nodes, opener: string): Promise<{ polling: RawPolling; url: string }> {
  const polling = await rawPolling(`${(nodes.get('n1') as Node).url}/socket.io/`)
  await polling.post('40')
  await polling.poll()
  return { polling, url: `${(nodes.get(opener) as Node).url}/socket.io/?EIO=4&transport=websocket&sid=${polling.sid}` }
}

/** A WebSocket for a polling session, at the session's own node and at another node. */
for (const [where, opener] of [
  ['at its own node', 'n1'],
  ['at another node', 'n2'],
] as const) {
  describe(`a WebSocket for a polling session ${where}`, () => {
    let nodes: Nodes
    const addresses: string[] = []
    let polling: RawPolling
    let url: string

    beforeAll(async () => {
      nodes = await startNodes({
        onBridgeOpen: (address) => addresses.push(`open ${address}`),
        onBridgeClose: (address) => addresses.push(`close ${address}`),
      })
    })
    afterAll(() => stopNodes(nodes))
    beforeEach(async () => {
      addresses.length = 0
      ;({ polling, url } = await newSession(nodes, opener))
    })

    async function open(): Promise<RawSocket> {
      const socket = rawSocket(url)
      await socket.opened
      return socket
    }
    async function probed(): Promise<RawSocket> {
      const socket = await open()
      socket.send('2probe')
      assert.equal(await socket.next(), '3probe')
      return socket
    }
    async function upgraded(): Promise<RawSocket> {
      const socket = await probed()
      socket.send('5')
      socket.send('421["echo","upgraded"]')
      assert.equal(await socket.next(), '431["upgraded"]')
      return socket
    }
    async function isServed(socket: RawSocket): Promise<void> {
      socket.send('422["echo","still here"]')
      assert.equal(await socket.next(), '432["still here"]')
    }

    test('is accepted and closed if the session already has one', async () => {
      const first = await upgraded()
      const second = await open()
      assert.deepEqual(await second.closed, { code: 1000, reason: 'upgraded already' })
      await isServed(first)
      first.close()
    })

    test('is accepted and closed while another is being probed', async () => {
      const first = await probed()
      const second = await open()
      assert.deepEqual(await second.closed, { code: 1000, reason: 'upgraded already' })
      first.send('5')
      await isServed(first)
      first.close()
    })

    test('can send the upgrade right after the probe', async () => {
      const socket = await open()
      socket.send('2probe')
      socket.send('5')
      assert.equal(await socket.next(), '3probe')
      await isServed(socket)
      socket.close()
    })

    for (const packets of [['5'], ['2probe', '2probe'], ['4hello'], ['2'], ['']]) {
      test(`that sends ${JSON.stringify(packets)} instead of upgrading is closed; polling continues`, async () => {
        const socket = await open()
        for (const packet of packets) socket.send(packet)
        await socket.closed
        await polling.post('421["echo","by polling"]')
        let { text } = await polling.poll()
        while (text === '6') ({ text } = await polling.poll())
        assert.equal(text, '431["by polling"]')
        await polling.post('1')
      })
    }

    test('is counted as a transport until it closes', async () => {
      const { connections } = (nodes.get(opener) as Node).server.counters
      const socket = await upgraded()
      const bridges = opener === 'n1' ? 0 : 1
      assert.equal(connections.bridge, bridges)
      assert.deepEqual(addresses, bridges === 0 ? [] : ['open 127.0.0.1'])
      socket.close()
      await eventually('the transport is gone', () => connections.bridge + connections.websocket === 0)
      assert.deepEqual(addresses, bridges === 0 ? [] : ['open 127.0.0.1', 'close 127.0.0.1'])
    })

    test("takes over while the client's poll waits; the poll gets a noop", async () => {
      const socket = await probed()
      const poll = { method: 'GET', sid: polling.sid, body: '' } as const
      const waiting = (nodes.get('n1') as Node).server.serveForwarded(poll, new AbortController().signal)
      socket.send('5')
      await isServed(socket)
      assert.equal((await waiting).body, '6')
      socket.close()
    })

    test('gets the last packets of a session that ends before the takeover, and is then closed', async () => {
      const socket = await probed()
      for (const owned of (nodes.get('n1') as Node).server.sockets.values()) owned.disconnect(true)
      socket.send('5')
      assert.equal(await socket.next(), '41')
      assert.equal((await socket.closed).code, 1000)
      assert.equal((await polling.poll()).status, 400)
    })

    test('ends at once if the session has ended, as for an unknown session', async () => {
      await polling.post('1')
      const closed = await rawSocket(url).closed
      const refused = { code: 1006, reason: '' }
      assert.deepEqual(closed, opener === 'n1' ? refused : { code: 1000, reason: 'session out of reach' })
    })
  })

  describe(`a WebSocket for a polling session ${where} that never upgrades`, () => {
    let nodes: Nodes
    beforeAll(async () => {
      nodes = await startNodes({ upgradeTimeoutMS: 300 })
    })
    afterAll(() => stopNodes(nodes))

    for (const said of ['nothing', '2probe']) {
      test(`and sends ${said} is closed in time, however often it pings`, async () => {
        const { polling, url } = await newSession(nodes, opener)
        const { host, pathname, search } = new URL(url)
        const socket = await stuckWebSocket(`http://${host}`, pathname + search)
        const closed = once(socket, 'close')
        if (said !== 'nothing') socket.write(frame(said))
        const pinging = setInterval(() => socket.write(wsPing), 50)
        socket.resume()
        await closed
        clearInterval(pinging)
        await polling.post('421["echo","by polling"]')
        assert.equal((await polling.poll()).text, '431["by polling"]')
        await polling.post('1')
      })
    }
  })
}

describe('a session that began by WebSocket', () => {
  test('accepts and closes any other WebSocket', async () => {
    const node = await startNode()
    const first = rawSocket(`${node.url}/socket.io/?EIO=4&transport=websocket`)
    const { sid } = parseOpen(await first.next())
    const second = rawSocket(`${node.url}/socket.io/?EIO=4&transport=websocket&sid=${sid}`)
    await second.opened
    assert.equal((await second.closed).code, 1000)
    first.send('40')
    assert.match(await nextText(first), /^40/)
    first.close()
    await eventually('it is gone', () => node.server.counters.connections.websocket === 0)
    const third = rawSocket(`${node.url}/socket.io/?EIO=4&transport=websocket&sid=${sid}`)
    assert.equal((await third.closed).code, 1006)
    node.stop()
  })
})
