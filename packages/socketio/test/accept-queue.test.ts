import assert from 'node:assert/strict'
import type { AcceptQueue } from '@parley/socketio/accepting/accept-queue'
import { eventually } from '@parley/stack/eventually'
import { describe, onTestFinished, test } from 'vitest'
import { startNode } from './nodes.ts'
import { nextText, type RawSocket, rawSocket } from './raw-client.ts'

/** An accept queue with turns that the test controls. */
function heldQueue() {
  const waiting: (() => void)[] = []
  const acceptQueue: AcceptQueue = { turn: () => new Promise((resolve) => waiting.push(resolve)) }
  return {
    acceptQueue,
    waiting: (many: number) => eventually(`${many} wait for their turn`, () => waiting.length === many),
    next: () => waiting.shift()?.(),
  }
}

/** Starts a node with a controlled accept queue, and a client with a session. Records the node's events. */
async function startHeld() {
  const said: unknown[] = []
  const closes: string[] = []
  const held = heldQueue()
  const node = await startNode({
    acceptQueue: held.acceptQueue,
    onTransportClose: (_, reason) => void closes.push(reason),
    otherEvents: (_, event, args) => void said.push(args.length > 0 ? args[0] : event),
  })
  onTestFinished(node.stop)
  const client = rawSocket(`${node.url}/socket.io/?EIO=4&transport=websocket`)
  assert.match(await nextText(client), /^0\{/)
  return { node, held, said, closes, client }
}

async function connected({ held, client }: { held: ReturnType<typeof heldQueue>; client: RawSocket }): Promise<void> {
  client.send('40')
  await held.waiting(1)
  held.next()
  assert.match(await nextText(client), /^40\{/)
}

describe('packets of new connections', () => {
  test('wait for their turn, one packet each, in order', async () => {
    const { held, said, client } = await startHeld()
    await connected({ held, client })
    for (const event of ['a', 'b', 'c']) client.send(`42["${event}"]`)
    await held.waiting(3)
    assert.deepEqual(said, [])
    held.next()
    held.next()
    await eventually('two are heard', () => said.length === 2)
    assert.deepEqual(said, ['a', 'b'])
    held.next()
    await eventually('three are heard', () => said.length === 3)
    assert.deepEqual(said, ['a', 'b', 'c'])
  })

  test('do not wait if they are many, large or binary, and stay in order', async () => {
    const { held, said, client } = await startHeld()
    await connected({ held, client })
    const large = 'x'.repeat(5_000)
    client.send('42["a"]')
    client.send(`42["large","${large}"]`)
    await eventually('the large one is heard', () => said.length === 2)
    assert.deepEqual(said, ['a', large])
    client.send('42["b"]')
    client.send('451-["binary",{"_placeholder":true,"num":0}]')
    client.send(new Uint8Array([1, 2, 3]))
    await eventually('the binary one is heard', () => said.length === 4)
    assert.deepEqual(said.slice(2), ['b', Buffer.from([1, 2, 3])])
    const many = Array.from({ length: 9 }, (_, n) => `many ${n}`)
    for (const event of many) client.send(`42["${event}"]`)
    await eventually('all are heard', () => said.length === 13)
    assert.deepEqual(said.slice(4), many)
  })

  test('are handled at once when the connection is no longer new, after waiting ones', async () => {
    const { node, held, said, client } = await startHeld()
    await connected({ held, client })
    const [socket] = node.server.sockets.values()
    assert.ok(socket)
    client.send('42["waits"]')
    await held.waiting(1)
    socket.connection.isNew = false
    client.send('42["follows"]')
    await held.waiting(2)
    assert.deepEqual(said, [])
    held.next()
    held.next()
    await eventually('both are heard', () => said.length === 2)
    client.send('42["at once"]')
    await eventually('the third is heard', () => said.length === 3)
    assert.deepEqual(said, ['waits', 'follows', 'at once'])
  })

  test('are dropped once the client has gone, or after a protocol error', async () => {
    const first = await startHeld()
    await connected(first)
    first.client.send('42["too late"]')
    await first.held.waiting(1)
    first.client.close()
    await eventually('the client is gone', () => first.closes.length === 1)
    first.held.next()

    const second = await startHeld()
    await connected(second)
    second.client.send('nonsense')
    second.client.send('42["after it"]')
    await second.held.waiting(2)
    second.held.next()
    second.held.next()
    await eventually('the connection is closed', () => second.closes.length === 1)
    assert.deepEqual(second.closes, ['parse error'])
    assert.deepEqual([first.said, second.said], [[], []])
  })
})
