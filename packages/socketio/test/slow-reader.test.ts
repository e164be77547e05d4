import assert from 'node:assert/strict'
import { setImmediate as immediate } from 'node:timers/promises'
import { eventually } from '@parley/stack/eventually'
import { describe, test } from 'vitest'
import { heard, startNode, stockClient } from './nodes.ts'
import { rawPolling } from './raw-client.ts'
import { frame, stuckWebSocket } from './stuck-socket.ts'

const MAX_BUFFERED = 65_536
const PAYLOAD = JSON.stringify({ text: 'x'.repeat(10_000) })

describe('a slow reader', () => {
  for (const burst of [1, 64]) {
    test(`by WebSocket is closed and counted, with ${burst} events per turn, and delays no other client`, async () => {
      const gone: string[] = []
      const node = await startNode({
        maxBufferedBytes: MAX_BUFFERED,
        onConnection: (socket) => socket.join('busy'),
        onDisconnect: (_socket, reason) => gone.push(reason),
      })
      const stuck = await stuckWebSocket(node.url)
      stuck.pause()
      stuck.write(frame('40'))
      await eventually('the slow reader is in the room', () => node.server.topicSize('busy') === 1)
      const quick = await stockClient(node.url, ['websocket'])
      let published = 0
      let received = 0
      quick.on('event', () => received++)
      // A slow reader is detected only once the kernel's buffers are full.
      const deadline = Date.now() + 20_000
      while (gone.length === 0 && Date.now() < deadline) {
        for (let sent = 0; sent < burst; sent++) {
          node.server.publish('busy', 'event', PAYLOAD)
          published++
        }
        await eventually('the quick reader has them all', () => received === published)
      }
      assert.deepEqual(gone, ['slow reader'])
      assert.equal(node.server.counters.closes['slow reader'], 1)
      assert.ok(node.server.counters.drops > 0)
      assert.equal(node.server.topicSize('busy'), 1)
      assert.equal(quick.connected, true)
      stuck.destroy()
      quick.close()
      node.stop()
    })
  }

  test('by WebSocket sees no gap before it is closed', async () => {
    const node = await startNode({ maxBufferedBytes: MAX_BUFFERED, onConnection: (socket) => socket.join('busy') })
    const client = await stockClient(node.url, ['websocket'], { reconnection: false })
    const seen: number[] = []
    client.on('event', ({ seq }: { seq: number }) => seen.push(seq))
    const left = heard(client, 'disconnect')
    let seq = 0
    // The client shares this process, so it cannot read while events are published without a pause.
    while (node.server.counters.drops === 0) {
      node.server.publish('busy', 'event', JSON.stringify({ seq: seq++, text: 'x'.repeat(10_000) }))
    }
    // Nothing after the drop may reach the client, although it can read again.
    for (let turn = 0; turn < 200; turn++) {
      node.server.publish('busy', 'event', JSON.stringify({ seq: seq++ }))
      if (turn % 2 === 1) await immediate()
    }
    await left
    assert.equal(node.server.counters.closes['slow reader'], 1)
    assert.deepEqual(
      seen,
      seen.map((_, index) => index),
    )
    assert.ok(seen.length < seq)
    node.stop()
  })

  test('by polling is closed and counted', async () => {
    const gone: string[] = []
    const node = await startNode({
      maxBufferedBytes: MAX_BUFFERED,
      onConnection: (socket) => socket.join('busy'),
      onDisconnect: (_socket, reason) => gone.push(reason),
    })
    const polling = await rawPolling(`${node.url}/socket.io/`)
    await polling.post('40')
    for (let sent = 0; sent < 8; sent++) node.server.publish('busy', 'event', PAYLOAD)
    assert.deepEqual(gone, ['slow reader'])
    assert.ok(node.server.counters.drops > 0)
    assert.equal((await polling.poll()).status, 400)
    node.stop()
  })

  test('is not a client with a short queue: an event larger than the queue limit still reaches it', async () => {
    const gone: string[] = []
    const node = await startNode({
      maxBufferedBytes: MAX_BUFFERED,
      onConnection: (socket) => socket.join('busy'),
      onDisconnect: (_socket, reason) => gone.push(reason),
    })
    const clients = await Promise.all([stockClient(node.url, ['websocket']), stockClient(node.url, ['polling'])])
    const events = clients.map((client) => heard(client, 'event'))
    const text = 'x'.repeat(2 * MAX_BUFFERED)
    node.server.publish('busy', 'event', JSON.stringify({ text }))
    assert.deepEqual(await Promise.all(events), [[{ text }], [{ text }]])
    assert.deepEqual(gone, [])
    for (const client of clients) client.close()
    node.stop()
  })

  test('by polling gets a long queue in several polls', async () => {
    const node = await startNode({ onConnection: (socket) => socket.join('busy') })
    const polling = await rawPolling(`${node.url}/socket.io/`)
    await polling.post('40')
    for (let sent = 0; sent < 60; sent++) node.server.publish('busy', 'event', PAYLOAD)
    const packets: string[] = []
    for (let polls = 0; polls < 3; polls++) {
      const { text } = await polling.poll()
      assert.ok(text.length <= 262_144)
      packets.push(...text.split('\x1e'))
    }
    assert.equal(packets.length, 61)
    assert.ok(packets.slice(1).every((packet) => packet === `42["event",${PAYLOAD}]`))
    node.stop()
  })
})
