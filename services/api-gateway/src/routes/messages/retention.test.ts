import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { retentionLag, sweepNextApp } from '@parley/chat/retention/sweep-rooms'
import { key } from '@parley/db/keys'
import { perBucket } from '@parley/db/message-buckets/buckets'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeOlder, sweepAll } from '../../test-aged.ts'
import type { DyingChange } from '../../test-dying-change.ts'
import { type Heard, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'
import { setStored } from '../../test-stored.ts'
import { lookAtAll, upload } from '../files/test-files.ts'

const dayMS = 24 * 60 * 60 * 1_000
let gateway: TestGateway
let alice: TestUser
let bob: TestUser
let heard: Heard
beforeAll(async () => {
  gateway = await startTestGateway()
  ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
  heard = await gateway.hear()
})
afterAll(() => gateway.stop())

const text = { message: 'secret', messageType: 'text' }
const send = async (room: string, more: object = {}) =>
  (await gateway.admin('POST', '/messages', { room, sender: 'alice', ...text, ...more })).body.result
const newRoom = (fields: object = {}) => gateway.newRoom([alice, bob], { owner: 'alice', ...fields })
const read = async (path: string) => (await bob.call('GET', path)).body.result
const history = async (room: string) => read(`/rooms/${room}/messages/v3?limit=500`)
const texts = async (room: string) =>
  (await history(room)).data.map(({ message }: { message?: string }) => message).toReversed()

const age = (room: string, upToSeq: number, days: number, others: readonly string[] = []) =>
  makeOlder(gateway, room, { upToSeq, days, others })

/** As when the hour of the next sweep has come. */
async function sweep(): Promise<void> {
  await beDue()
  await sweepAll(gateway)
}
const beDue = () => gateway.chat.db.apps.updateMany({}, { $set: { 'retention.nextMS': 0 } })
const keep = (retention: object | null) => gateway.admin('POST', '/config', { retention })

describe('retention', () => {
  test('uses the days of the room, its type or the app, in this order; without any, messages stay', async () => {
    const direct = (await gateway.admin('POST', '/rooms/', { roomType: 'direct', members: ['alice', 'bob'] })).body
      .result._id
    const [group, own, young] = [await newRoom(), await newRoom({ retentionDays: 100 }), await newRoom()]
    for (const room of [direct, group, own]) {
      for (const message of ['old', 'new']) await send(room, { message })
      await age(room, 1, 50)
    }
    await send(young, { message: 'young' })
    await keep(null)
    await sweep()
    assert.deepEqual(await texts(group), ['old', 'new'])
    await keep({ days: 60, direct: 30 })
    await sweep()
    const all = async () => [await texts(direct), await texts(group), await texts(own), await texts(young)]
    assert.deepEqual(await all(), [['new'], ['old', 'new'], ['old', 'new'], ['young']])
    await keep({ days: 60, group: 40 })
    await sweep()
    assert.deepEqual(await all(), [['new'], ['new'], ['old', 'new'], ['young']])
    await keep(null)
    assert.equal((await gateway.admin('PUT', `/rooms/${own}`, { retentionDays: 7 })).body.result.retentionDays, 7)
    await sweep()
    assert.deepEqual(await texts(own), ['new'])
  })

  test('is set by the API key only, and a bad value names its field', async () => {
    const room = await newRoom()
    const byOwner = await alice.call('PUT', `/rooms/${room}`, { retentionDays: 1 })
    assert.deepEqual([byOwner.status, byOwner.body.error.code], [403, 'INSUFFICIENT_PERMISSIONS'])
    for (const [value, field] of [
      [{ days: 0 }, 'retention.days'],
      [{ group: 1.5 }, 'retention.group'],
      [[], 'retention'],
      [{ room: 3 }, 'retention'],
    ] as const) {
      const { status, body } = await keep(value)
      assert.deepEqual([status, body.error.message.startsWith(field)], [400, true], body.error.message)
    }
    assert.match(
      (await gateway.admin('PUT', `/rooms/${room}`, { retentionDays: -1 })).body.error.message,
      /^retentionDays/,
    )
  })

  test('removes a message everywhere: history, counts, search, pins, quotes, the room and its files', async () => {
    const room = await newRoom({ retentionDays: 30 })
    const file = await upload(alice.call, Buffer.from('bytes'))
    const first = await send(room)
    await alice.call('POST', `/messages/${first._id}/pin`)
    const withFile = await send(room, { attachments: [{ fileID: file }] })
    await send(room)
    const reply = await send(room, { replyTo: first._id, message: 'kept' })
    await bob.call('POST', '/search', { type: ['messages'], keyword: 'secret', room })
    assert.equal((await read(`/rooms/${room}`)).unread, 4)
    await age(room, 3, 31)
    await sweep()

    const { data, totalCount, latestSeq } = await history(room)
    assert.deepEqual([totalCount, latestSeq, data.map(({ _id }: { _id: string }) => _id)], [1, 4, [reply._id]])
    assert.equal(data[0].replyTo, undefined)
    const shown = await read(`/rooms/${room}`)
    assert.deepEqual([shown.unread, shown.lastMessage._id], [1, reply._id])
    assert.deepEqual((await read(`/rooms/${room}/pins`)).data, [])
    const found = await bob.call('POST', '/search', { type: ['messages'], keyword: 'secret', room })
    assert.deepEqual(found.body.result.messages, [])
    assert.equal((await bob.call('PUT', `/rooms/${room}/lastRead`, { message: withFile._id })).status, 404)
    const { db } = gateway.chat
    const roomKey = key(gateway.app, room)
    assert.equal(await db.messages.countDocuments({ roomKey, _id: { $ne: reply._id } }), 0)
    assert.equal(await db.searchTexts.countDocuments({ roomKey, _id: { $ne: reply._id } }), 0)
    await lookAtAll(gateway.chat, { store: gateway.store }, Date.now() + dayMS)
    assert.equal(await db.files.countDocuments({ _id: key(gateway.app, file) }), 0)
    const event = await heard.next('messageDeleted', (payload: { room: string }) => payload.room === room)
    assert.deepEqual(event.payload, { room, messageID: '_all', upToSeq: 3, upToMS: 0 })

    await age(room, 4, 31)
    await sweep()
    const empty = await read(`/rooms/${room}`)
    assert.deepEqual([empty.unread, empty.lastMessage, await texts(room)], [0, undefined, []])
    const next = await send(room, { message: 'next' })
    assert.deepEqual([next.seq, (await read(`/rooms/${room}`)).unread, await texts(room)], [5, 1, ['next']])
  })

  test('deletes whole buckets, and the old part of the last one: pages never have gaps', async () => {
    const room = await newRoom({ retentionDays: 30 })
    const count = 3 * perBucket + 5
    for (let i = 1; i <= count; i++) await send(room, { message: String(i) })
    const old = 2 * perBucket + 3
    await age(room, old, 31)
    await sweep()
    const left = Array.from({ length: count - old }, (_, i) => String(old + i + 1))
    assert.deepEqual(await texts(room), left)
    const roomKey = key(gateway.app, room)
    assert.equal(await gateway.chat.db.messageBuckets.countDocuments({ roomKey }), 2)
    assert.equal((await read(`/rooms/${room}`)).unread, left.length)
    const { body } = await gateway.admin('GET', '/admin/clients/bob/badge?verify=true')
    assert.equal(body.result.agrees, true)
  })

  test('removes each message of a thread at its own age; the root stays as a stub until the last one is removed', async () => {
    const room = await newRoom({ retentionDays: 30 })
    const root = await send(room, { message: 'root' })
    const inThread = []
    for (const message of ['one', 'two', 'three']) {
      inThread.push(await send(room, { message, replyTo: root._id, thread: true }))
    }
    const reply = await bob.call('POST', `/rooms/${room}/message`, { ...text, replyTo: root._id, thread: true })
    await send(room, { message: 'after' })
    const [one, two, three] = inThread.map(({ _id }) => String(_id))
    await age(room, 1, 40, [one ?? '', two ?? ''])
    await sweep()
    const thread = await read(`/messages/${root._id}/thread`)
    assert.deepEqual(
      [thread.totalCount, thread.data.length, thread.root.isDeleted, thread.root.message],
      [2, 2, true, undefined],
    )
    const ofAlice = (await alice.call('GET', `/messages/${root._id}/thread`)).body.result
    assert.equal(ofAlice.unread, 1)
    assert.equal((await send(room, { message: 'four', replyTo: three, thread: true })).seq, 5)
    const grown = await read(`/messages/${root._id}/thread`)
    assert.deepEqual([grown.totalCount, grown.latestSeq, grown.root.threadLatestSeq, grown.unread], [3, 5, 5, 1])

    const ids: string[] = grown.data.map(({ _id }: { _id: string }) => _id)
    assert.deepEqual([ids.includes(three ?? ''), ids.includes(reply.body.result._id)], [true, true])
    await age(room, 0, 40, ids)
    await sweep()
    assert.equal((await bob.call('GET', `/messages/${root._id}/thread`)).status, 404)
    assert.deepEqual(await texts(room), ['after'])
    const { db } = gateway.chat
    assert.equal(await db.threadMembers.countDocuments({ room }), 0)
  })

  test('does not touch other apps, and a room that fails does not delay others', async () => {
    const other = await startTestGateway()
    try {
      const user = await other.newUser('alice')
      const kept = await other.newRoom([user])
      const body = { room: kept, sender: 'alice', ...text }
      const { _id } = (await other.admin('POST', '/messages', body)).body.result
      await other.chat.flusher.drained()
      await setStored(other.chat.db, _id, { createdAtMS: 1 })
      await gateway.admin('POST', '/config', { retention: { days: 1 } })
      await sweep()
      assert.equal((await user.call('GET', `/rooms/${kept}/messages/v3`)).body.result.data.length, 1)
    } finally {
      await keep(null)
      await other.stop()
    }
  })

  test('an interrupted sweep resumes in another process after its last room, and the lag tells when all rooms were done', async () => {
    const rooms = [await newRoom({ retentionDays: 30 }), await newRoom({ retentionDays: 30 })].toSorted()
    for (const room of rooms) {
      await send(room)
      await age(room, 1, 40)
    }
    const { db } = gateway.chat
    const begunMS = Date.now() - 7_200_000
    const half = { nextMS: 0, sweptMS: begunMS - 1, begunMS, afterRoom: key(gateway.app, rooms[0] ?? '') }
    await db.apps.updateOne({ _id: gateway.app }, { $set: { retention: half } })
    assert.ok((await retentionLag(gateway.chat)) > 7_000)
    await sweepNextApp(gateway.chat, new AbortController().signal)
    assert.deepEqual([(await texts(rooms[0] ?? '')).length, (await texts(rooms[1] ?? '')).length], [1, 0])
    const lag = await retentionLag(gateway.chat)
    assert.ok(lag > 7_000 && lag < 7_300, 'the sweep began two hours ago')
    await sweep()
    assert.equal((await texts(rooms[0] ?? '')).length, 0)
    assert.ok((await retentionLag(gateway.chat)) < 60)
  })

  test('a sweep that finds nothing old uses indexes, with a few documents per room', async () => {
    const { db } = gateway.chat
    await newRoom({ retentionDays: 1 })
    await db.rooms.updateMany({ app: gateway.app }, { $unset: { oldestAtMS: 1 } })
    const rooms = await db.rooms.countDocuments({ app: gateway.app })
    await beDue()
    const entries = await recorded(gateway, () => sweepAll(gateway))
    const read = entries.filter(({ planSummary }) => planSummary !== undefined)
    assert.ok(read.length > 3)
    for (const { ns, planSummary, docsExamined = 0, command } of read) {
      assert.doesNotMatch(planSummary, /COLLSCAN/, JSON.stringify(command))
      assert.ok(docsExamined <= rooms + 1, `${ns}: ${docsExamined}`)
    }
  })

  for (const step of ['taken', 'stored', 'committed'] as const) {
    test(`survives kill -9 of its process (${step}): messages are gone, counts match, and the room is notified once`, async () => {
      const room = await newRoom({ retentionDays: 30 })
      for (let i = 0; i < 3; i++) await send(room)
      await age(room, 2, 40)
      const { mongoUrl, natsUrl } = await testServers()
      const database = gateway.chat.db.mongo.databaseName
      const removeOld = { app: gateway.app, id: room, beforeMS: Date.now() - 30 * dayMS }
      const work: DyingChange = { mongoUrl: withDatabase(mongoUrl, database), natsUrl, step, removeOld }
      const child = fork(join(import.meta.dirname, '../../test-dying-change.ts'), [JSON.stringify(work)])
      assert.deepEqual((await once(child, 'exit'))[1], 'SIGKILL')
      await sweep()
      const stopped = new AbortController()
      const relaying = runWorkers(gateway.chat, [relay(gateway.chat)], stopped.signal)
      const ofRoom = (payload: { room: string }) => payload.room === room
      await heard.next('messageDeleted', ofRoom)
      stopped.abort()
      await relaying
      assert.deepEqual([(await texts(room)).length, (await read(`/rooms/${room}`)).unread], [1, 1])
      const { body } = await gateway.admin('GET', '/admin/clients/bob/badge?verify=true')
      assert.equal(body.result.agrees, true)
      const last = await send(room)
      await heard.next('chat message', ({ _id }: { _id: string }) => _id === last._id)
      const times = heard.events.filter(
        ({ event, payload }) => event === 'messageDeleted' && ofRoom(payload as { room: string }),
      )
      assert.equal(times.length, 1)
    })
  }
})
