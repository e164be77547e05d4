import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { partitionOf, streamsOfPartitions } from '@parley/contracts/bus/partitions'
import { streamName } from '@parley/contracts/bus/streams'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterEach, beforeEach, test } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { BusAway, publishEvent } from '../events/publish.ts'
import { consumeStreams } from './consume.ts'
import { ensureStreams } from './ensure-streams.ts'
import { exactSubjects, isAtMarks, openReading } from './read-stream.ts'
import { ensureStream } from './stream.ts'
import { learnStreams } from './stream-info.ts'
import { markStream } from './stream-state.ts'

const options = { maxAgeHours: 72, maxBytes: 2 ** 26, replicas: 1 }
const rooms = Array.from({ length: 40 }, (_, n) => ({ app: 'app', room: `room ${n}` }))

let servers: Servers
let bus: Bus
let other: Bus
beforeEach(async () => {
  servers = await isolatedServers()
  ;[bus, other] = await Promise.all([
    connectBus(servers.natsUrl, 'streams test'),
    connectBus(servers.natsUrl, 'streams test, other'),
  ])
})
afterEach(async () => {
  await Promise.all([bus.close(), other.close()])
  await servers.stop()
})

/**
 * Publishes to every room until `isOver`, one event at a time, retrying until it is acknowledged, as the outbox does.
 */
async function publishUntil(isOver: () => boolean): Promise<number[]> {
  const inRoom = async (room: number): Promise<number> => {
    let n = 0
    for (; !isOver(); n++) {
      const event = { to: rooms[room]!, event: 'chat message', json: `{"n":${n}}`, id: `${room} ${n}` } as const
      for (let isThere = false; !isThere; ) {
        isThere = await publishEvent(bus, event).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof BusAway)) throw error
            return false
          },
        )
        await pause(5)
      }
    }
    return n
  }
  return Promise.all(rooms.map((_, room) => inRoom(room)))
}

/** The numbers read from each room, in order, by a process that did not know of the growth. */
async function readAll(): Promise<number[][]> {
  await learnStreams(other)
  const subjects = exactSubjects(other, rooms, 0) ?? new Map()
  const marks = new Map<string, number>()
  for (const stream of subjects.keys()) marks.set(stream, await markStream(other, stream, 'test'))
  const reading = await openReading(other, subjects, () => ({ sinceMS: 0 }), 'test')
  const read = rooms.map((): number[] => [])
  for await (const message of reading.messages(marks)) {
    if (isAtMarks(message)) break
    const room = rooms.findIndex((to) =>
      message.subject.endsWith(`.room.${encodeURIComponent(to.room)}.chat%20message`),
    )
    if (room >= 0) read[room]?.push(message.json<{ n: number }>().n)
  }
  await reading.close()
  return read
}

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)
/** Without duplicates, which have the same ID. */
const once = (read: readonly number[]) => [...new Set(read)]

test('streams added under load take over partitions without losing or reordering events', async () => {
  await ensureStreams(bus, { ...options, count: 1 })
  let isOver = false
  const publishing = publishUntil(() => isOver)
  for (const count of [2, 4]) {
    await pause(100)
    await ensureStreams(other, { ...options, count })
  }
  await pause(100)
  isOver = true
  const sent = await publishing
  assert.deepEqual((await readAll()).map(once), sent.map(upTo))
  const found = await learnStreams(bus)
  assert.equal(bus.streams.names.length, 4)
  for (const { state } of found.values()) assert.ok(state.messages > 10)
})

test('a consumer handles the events of a room in order while its partition moves', async () => {
  await ensureStreams(bus, { ...options, count: 1 })
  const stopping = new AbortController()
  const moved = Promise.withResolvers<void>()
  const handled = rooms.map((): number[] => [])
  const handler = {
    read: ({ subject, data }: { subject: string; data: Uint8Array }) => ({
      room: rooms.findIndex((to) => subject.includes(`.room.${encodeURIComponent(to.room)}.`)),
      n: (JSON.parse(new TextDecoder().decode(data)) as { n: number }).n,
    }),
    // By then the new streams have events, while many still wait in the old one.
    handle: async ({ room, n }: { room: number; n: number }) => {
      await moved.promise
      await pause(2)
      handled[room]?.push(n)
    },
  }
  const settings = { concurrency: 1, onFailure: assert.fail, findHandled: async () => undefined }
  const consuming = consumeStreams(bus, 'stats', handler, settings, stopping.signal)
  let isOver = false
  const publishing = publishUntil(() => isOver)
  await pause(200)
  await ensureStreams(bus, { ...options, count: 3 })
  isOver = true
  const sent = await publishing
  moved.resolve()
  while (handled.some((own, room) => once(own).length < (sent[room] ?? 0))) await pause(20)
  stopping.abort()
  await consuming
  assert.deepEqual(handled.map(once), sent.map(upTo))
})

test('only the streams of the given rooms are read', async () => {
  await ensureStreams(bus, { ...options, count: 4 })
  for (const to of rooms) {
    const subjects = exactSubjects(bus, [to], 0)
    assert.deepEqual([...(subjects?.keys() ?? [])], [bus.streams.streamOf(to)])
  }
  assert.equal(new Set(rooms.map((to) => bus.streams.streamOf(to))).size, 4)
})

test('processes with different numbers of streams agree on the largest', async () => {
  await ensureStreams(bus, { ...options, count: 1 })
  await publishEvent(bus, { to: rooms[0]!, event: 'chat message', json: '{"n":0}', id: 'first' })
  const ensured = await Promise.allSettled(
    [2, 4, 3].map((count, i) => ensureStreams(i % 2 ? bus : other, { ...options, count })),
  )
  // Two processes can conflict. A service retries a second later.
  if (ensured.some(({ status }) => status === 'rejected')) await ensureStreams(bus, { ...options, count: 1 })
  const found = await learnStreams(bus)
  assert.deepEqual([...found.keys()], [0, 1, 2, 3].map(streamName))
  assert.ok([...found.values()].every(({ count, takesAll }) => count === 4 && takesAll))
  for (const to of rooms) {
    const event = { to, event: 'chat message', json: '{"n":1}', id: `then ${to.room}` } as const
    await publishEvent(bus, event)
  }
})

test('an interrupted growth is completed by a process that asks for fewer streams', async () => {
  await ensureStreams(bus, { ...options, count: 1 })
  const moved = streamsOfPartitions(2)
  const to = rooms.find((one) => moved[partitionOf(one)] === 1)
  assert.ok(to)
  // The first stream has given up its partitions, and no stream has taken them.
  await ensureStream(bus, options, { index: 0, count: 2 })
  await ensureStreams(other, { ...options, count: 1 })
  await publishEvent(bus, { to, event: 'chat message', json: '{"n":0}', id: 'x' })
  assert.equal((await learnStreams(other)).size, 2)
})

test('a stream keeps its partitions while NATS has no room for another stream', async () => {
  // Finds a size that one stream may have, but not two.
  const fits = async (maxBytes: number) => {
    try {
      await ensureStream(bus, { ...options, maxBytes })
      return true
    } catch {
      return false
    }
  }
  let maxBytes = 2 ** 30
  while (await fits(maxBytes * 2)) maxBytes *= 2
  await assert.rejects(ensureStreams(bus, { ...options, maxBytes, count: 2 }), /no room/)
  const [stream] = (await learnStreams(other)).values()
  assert.deepEqual([stream?.count, stream?.takesAll], [1, true])
  await Promise.all(rooms.map((to, n) => publishEvent(other, { to, event: 'chat message', json: '{}', id: `${n}` })))
  await ensureStreams(bus, { ...options, count: 2 })
  assert.equal((await learnStreams(other)).size, 2)
})
