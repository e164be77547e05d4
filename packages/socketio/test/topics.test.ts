import assert from 'node:assert/strict'
import type { Socket } from '@parley/socketio/sockets/socket'
import { eventually } from '@parley/stack/eventually'
import type { Socket as Client } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Node, startNode, stockClient } from './nodes.ts'

type Member = { client: Client; socket: Socket<unknown>; heard: unknown[] }

describe('a room', () => {
  const active: string[] = []
  const empty: string[] = []
  let encoded = 0
  let node: Node
  const clients: Client[] = []
  beforeAll(async () => {
    node = await startNode({
      onTopicActive: (room) => active.push(room),
      onTopicEmpty: (room) => empty.push(room),
      codecs: {
        base64: (json) => {
          encoded++
          return JSON.stringify(Buffer.from(json).toString('base64'))
        },
      },
    })
  })
  afterAll(() => {
    for (const client of clients) client.close()
    node.stop()
  })

  async function member(...transports: ('polling' | 'websocket')[]): Promise<Member> {
    const client = await stockClient(node.url, transports)
    clients.push(client)
    const socket = node.server.sockets.get(client.id ?? '')
    assert.ok(socket)
    await eventually('the upgrade', () => socket.transport === transports.at(-1))
    const heard: unknown[] = []
    client.on('event', (payload: unknown) => heard.push(payload))
    return { client, socket, heard }
  }
  const publish = (room: string, payload: unknown, options = {}) =>
    node.server.publish(room, 'event', JSON.stringify(payload), options)
  /** The events of each member, once all have received a final event. */
  async function heardBy(members: Member[]): Promise<unknown[][]> {
    for (const { socket } of members) socket.emitJson('event', '"end"')
    const isEnd = (payload: unknown) => payload === 'end' || payload === Buffer.from('"end"').toString('base64')
    await eventually('all members have the last event', () => members.every(({ heard }) => isEnd(heard.at(-1))))
    return members.map(({ heard }) => heard.splice(0).slice(0, -1))
  }

  test('reaches members on both transports, and no other socket', async () => {
    const members = [await member('websocket'), await member('polling'), await member('polling', 'websocket')]
    const stranger = await member('websocket')
    for (const { socket } of members) socket.join('everyone')
    stranger.socket.join('others')
    assert.equal(publish('everyone', { a: 'ü😀' }), 3)
    assert.equal(publish('nobody', 1), 0)
    assert.deepEqual(await heardBy([...members, stranger]), [[{ a: 'ü😀' }], [{ a: 'ü😀' }], [{ a: 'ü😀' }], []])
  })

  test('delivers payloads given as bytes and as text unchanged', async () => {
    const { socket, client } = await member('websocket')
    socket.join('raw')
    const frames: string[] = []
    client.io.engine.on('packet', ({ data }: { data?: string }) => frames.push(String(data)))
    node.server.publish('raw', 'event', '{ "spaced" : 1.0 }')
    node.server.publish('raw', 'event', Buffer.from('{ "spaced" : "ü" }'))
    node.server.publish('raw', 'event', new Uint8Array(Buffer.from(`"${'x'.repeat(70_000)}"`)))
    await eventually('three packets', () => frames.length >= 3)
    assert.deepEqual(frames.slice(0, 2), ['2["event",{ "spaced" : 1.0 }]', '2["event",{ "spaced" : "ü" }]'])
    assert.equal(frames[2]?.length, 70_000 + '2["event",""]'.length)
  })

  test('can have any name', async () => {
    const names = ['', '/', '#', '+', 'a/#', 'a b', '😀', '0:x', '__proto__', 'x'.repeat(1000)]
    const { socket, heard } = await member('websocket')
    for (const name of names) socket.join(name)
    for (const name of names) publish(name, name)
    await eventually('one event of each room', () => heard.length === names.length)
    assert.deepEqual(heard, names)
  })

  test('reports when its first member joins and its last member leaves', async () => {
    const [first, second] = [await member('websocket'), await member('polling')]
    first.socket.join('counted')
    second.socket.join('counted')
    second.socket.join('counted')
    assert.equal(node.server.topicSize('counted'), 2)
    first.socket.leave('counted')
    first.socket.leave('counted')
    assert.equal(node.server.topicSize('counted'), 1)
    assert.deepEqual(empty.includes('counted'), false)
    second.client.close()
    await eventually('the room is empty', () => empty.includes('counted'))
    assert.equal(node.server.topicSize('counted'), 0)
    assert.equal(active.filter((room) => room === 'counted').length, 1)
    assert.equal(empty.filter((room) => room === 'counted').length, 1)
  })

  test('sends a member everything published before it leaves, and nothing after', async () => {
    for (const transport of ['websocket', 'polling'] as const) {
      const leaver = await member(transport)
      leaver.socket.join('left')
      publish('left', 'before')
      leaver.socket.leave('left')
      publish('left', 'after')
      assert.deepEqual(await heardBy([leaver]), [['before']])
    }
  })

  test('encodes an event once, and only if a member needs it', async () => {
    const [plain, wanted, polled] = [await member('websocket'), await member('websocket'), await member('polling')]
    for (const { socket } of [plain, wanted, polled]) socket.join('encoded')
    encoded = 0
    publish('encoded', 'plain for all')
    assert.equal(encoded, 0)
    wanted.socket.setCodec('base64')
    assert.throws(() => polled.socket.setCodec('rot13'), /unknown codec/)
    publish('encoded', { text: 'ü' })
    assert.equal(encoded, 1)
    wanted.socket.setCodec(undefined)
    publish('encoded', 'plain again')
    assert.equal(encoded, 1)
    const base64 = Buffer.from('{"text":"ü"}').toString('base64')
    const [inPlain, inWanted, inPolled] = await heardBy([plain, wanted, polled])
    assert.deepEqual(inPlain, ['plain for all', { text: 'ü' }, 'plain again'])
    assert.deepEqual(inWanted, ['plain for all', base64, 'plain again'])
    assert.deepEqual(inPolled, inPlain)
  })

  test('encodes events to a single socket as well', async () => {
    const { socket, heard } = await member('websocket')
    socket.setCodec('base64')
    socket.emit('event', { a: 1 })
    await eventually('the event', () => heard.length === 1)
    assert.deepEqual(heard, [Buffer.from('{"a":1}').toString('base64')])
  })

  test('can exclude any number of sockets, and keeps the order', async () => {
    const members = [
      await member('websocket'),
      await member('websocket'),
      await member('websocket'),
      await member('polling'),
      await member('polling'),
    ]
    const [one, two, , four] = members.map(({ socket }) => socket)
    assert.ok(one && two && four)
    for (const { socket } of members) socket.join('choosy')
    two.setCodec('base64')
    publish('choosy', 1)
    assert.equal(publish('choosy', 2, { except: [one] }), 4)
    publish('choosy', 3)
    assert.equal(publish('choosy', 4, { except: [one, two.id, four, 'unknown'] }), 2)
    publish('choosy', 5)
    assert.equal(publish('choosy', 6, { except: members.map(({ socket }) => socket) }), 0)
    publish('choosy', 7)
    two.setCodec(undefined)
    const [inOne, inTwo, inThree, inFour, inFive] = await heardBy(members)
    assert.deepEqual(inOne, [1, 3, 5, 7])
    assert.deepEqual(
      inTwo,
      [1, 2, 3, 5, 7].map((number) => Buffer.from(String(number)).toString('base64')),
    )
    assert.deepEqual(inThree, [1, 2, 3, 4, 5, 7])
    assert.deepEqual(inFour, [1, 2, 3, 5, 7])
    assert.deepEqual(inFive, [1, 2, 3, 4, 5, 7])
    assert.equal(node.server.topicSize('choosy'), 5)
  })

  test('sends a member nothing that was sent before it became one, however late', async () => {
    const [old, polled, joined] = [await member('websocket'), await member('polling'), await member('websocket')]
    const topic = 'dated'
    old.socket.join(topic)
    polled.socket.join(topic, 10)
    joined.socket.join(topic, 10)
    joined.socket.join(topic, 20)
    for (const sentAtMS of [10, 11, 20, 21]) publish(topic, sentAtMS, { sentAtMS })
    assert.equal(publish(topic, 'by anyone else', { sentAtMS: 15, except: [old.socket] }), 1)
    publish(topic, 'undated')
    assert.deepEqual(
      [20, 21].map((sentAtMS) => joined.socket.gets(topic, sentAtMS)),
      [false, true],
    )
    joined.socket.leave(topic)
    assert.equal(joined.socket.gets(topic, 21), false)
    joined.socket.join(topic)
    publish(topic, 'after leaving', { sentAtMS: 5 })
    assert.deepEqual(await heardBy([old, polled, joined]), [
      [10, 11, 20, 21, 'undated', 'after leaving'],
      [11, 20, 21, 'by anyone else', 'undated'],
      [21, 'undated', 'after leaving'],
    ])
    const hourMS = 3_600_000
    publish(topic, 'an hour later', { sentAtMS: 21 + hourMS })
    publish(topic, 'forgotten', { sentAtMS: 1 })
    assert.deepEqual(await heardBy([polled]), [['an hour later', 'forgotten']])
  })

  test('does not lose, repeat or reorder events while its members upgrade', async () => {
    const joined: Member[] = []
    let next = 0
    const publishing = setInterval(() => publish('moving', next++), 1)
    for (let round = 0; round < 10; round++) {
      const client = await stockClient(node.url, ['polling'], { transports: ['polling', 'websocket'] })
      clients.push(client)
      const socket = node.server.sockets.get(client.id ?? '')
      assert.ok(socket)
      const heard: unknown[] = []
      client.on('event', (payload: unknown) => heard.push(payload))
      socket.join('moving')
      joined.push({ client, socket, heard })
    }
    await eventually('all upgraded', () => joined.every(({ socket }) => socket.transport === 'websocket'))
    clearInterval(publishing)
    for (const heard of await heardBy(joined)) {
      const first = Number(heard[0])
      assert.ok(heard.length > 0)
      assert.deepEqual(
        heard,
        heard.map((_, index) => first + index),
      )
      assert.equal(heard.at(-1), next - 1)
    }
  })
})
