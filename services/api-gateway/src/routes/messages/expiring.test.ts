import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { expireDue } from '@parley/chat/messages/changing/expire-messages'
import { sendDue } from '@parley/chat/messages/send-scheduled'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { expiredMessages, findExpired } from '@parley/db/messages/expiring-messages'
import { newId } from '@parley/db/messages/messages'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { DyingChange } from '../../test-dying-change.ts'
import { type Heard, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let second: TestGateway
let alice: TestUser
let bob: TestUser
let heard: Heard
beforeAll(async () => {
  gateway = await startTestGateway()
  second = await gateway.another()
  ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
  heard = await gateway.hear()
})
afterAll(async () => {
  await second.stop()
  await gateway.stop()
})

const newRoom = (fields: object = {}) => gateway.newRoom([alice, bob], { owner: 'alice', ...fields })
const text = { message: 'secret', messageType: 'text' }
const send = async (room: string, more: object = {}, sender = 'alice') =>
  (await gateway.admin('POST', '/messages', { room, sender, ...text, ...more })).body.result
const call = async (user: TestUser, path: string) => (await user.call('GET', path)).body.result
const history = async (room: string) => (await call(bob, `/rooms/${room}/messages/v3?limit=100`)).data
const search = async (room: string) =>
  (await bob.call('POST', '/search', { type: ['messages'], keyword: 'secret', room })).body.result.messages
/** As if the expiry of all of them had come. */
async function beDue(): Promise<void> {
  await Promise.all([gateway, second].map(({ chat }) => chat.flusher.drained()))
  await gateway.chat.db.messages.updateMany({ expiresAtMS: { $exists: true } }, { $set: { expiresAtMS: Date.now() } })
}
async function expire(): Promise<void> {
  await beDue()
  await takeDue()
}
/** As two gateways would, at once. */
async function takeDue(): Promise<void> {
  await Promise.all([expireDue(gateway.chat), expireDue(second.chat)])
  await Promise.all([gateway, second].map(({ chat }) => chat.outbox.drained()))
}
/** How many messageDeleted events of this message the room got; the event of a later message has come first. */
async function timesHeard(room: string, id: string): Promise<number> {
  const last = await send(room, { expiresInS: 0 })
  await heard.next('chat message', ({ _id }: { _id: string }) => _id === last._id)
  return heard.events.filter(({ event, payload }) => {
    return event === 'messageDeleted' && (payload as { messageID: string }).messageID === id
  }).length
}

describe('expiresInS', () => {
  test("of any send request sets the expiry, by default the room's; 0 means never", async () => {
    const room = await newRoom()
    const kept = await send(room)
    const own = await send(room, { expiresInS: 60 })
    assert.deepEqual([kept.expiresAtMS, own.expiresAtMS], [undefined, own.createdAtMS + 60_000])
    const byClient = await bob.call('POST', `/rooms/${room}/message`, { ...text, expiresInS: 60 })
    const batch = { sender: 'alice', ...text, expiresInS: 60, paras: [{ room }] }
    const inBatch = (await gateway.admin('POST', '/messages/batch', batch)).body.result[0]
    const scheduled = { room, ...text, expiresInS: 60, sendAtMS: Date.now() + 3_600_000 }
    assert.equal((await bob.call('POST', '/scheduled', scheduled)).body.result.expiresInS, 60)
    await gateway.chat.db.scheduled.updateMany({}, { $set: { nextMS: Date.now() } })
    await sendDue(gateway.chat)
    const inThread = await send(room, { expiresInS: 60, replyTo: kept._id, thread: true })
    const [later] = await history(room)
    for (const message of [byClient.body.result, inBatch.result, later, inThread]) {
      assert.ok(Math.abs(message.expiresAtMS - message.createdAtMS - 60_000) < 1_000, JSON.stringify(message))
    }

    const disappearing = await newRoom({ expiresInS: 90 })
    const byRoom = await send(disappearing)
    assert.equal(byRoom.expiresAtMS, byRoom.createdAtMS + 90_000)
    assert.equal((await send(disappearing, { expiresInS: 0 })).expiresAtMS, undefined)
    assert.equal((await call(bob, `/rooms/${disappearing}`)).expiresInS, 90)
    const changed = await alice.call('PUT', `/rooms/${disappearing}`, { expiresInS: 0 })
    assert.equal(changed.body.result.expiresInS, undefined)
    for (const each of [gateway, second]) {
      const { body } = await each.admin('POST', '/messages', { room: disappearing, sender: 'alice', ...text })
      assert.equal(body.result.expiresAtMS, undefined)
    }
    assert.equal((await alice.call('PUT', `/rooms/${room}`, { expiresInS: 30 })).body.result.expiresInS, 30)
    const { body } = await second.admin('POST', '/messages', { room, sender: 'alice', ...text })
    assert.equal(body.result.expiresAtMS, body.result.createdAtMS + 30_000)
  })

  test('invalid values are 400 and name the field; an edited message keeps its expiry', async () => {
    const room = await newRoom()
    for (const expiresInS of [-1, 1.5, '60', 31_622_401]) {
      for (const path of ['/messages', '/rooms/']) {
        const body = path === '/rooms/' ? { roomType: 'group', members: ['bob'] } : { room, sender: 'alice', ...text }
        const answer = await gateway.admin('POST', path, { ...body, expiresInS })
        assert.deepEqual([answer.status, answer.body.error.message.startsWith('expiresInS')], [400, true])
      }
    }
    const { _id, expiresAtMS } = await send(room, { expiresInS: 60 })
    const edit = (more: object) => alice.call('POST', `/rooms/${room}/message`, { _id, message: 'other', ...more })
    assert.match((await edit({ expiresInS: 1 })).body.error.message, /^expiresInS/)
    assert.equal((await edit({})).body.result.expiresAtMS, expiresAtMS)
  })
})

describe('an expired message', () => {
  test('appears deleted everywhere, and its room gets one event from two gateways', async () => {
    const room = await newRoom({ expiresInS: 60 })
    const [first, hidden] = [await send(room), await send(room)]
    await send(room, { expiresInS: 0 })
    await bob.call('POST', '/messages/user-delete', { room, messages: [hidden._id] })
    await alice.call('POST', `/messages/${first._id}/pin`)
    const reply = await send(room, { replyTo: first._id, expiresInS: 0, message: 'reply' }, 'bob')
    const ofThread = await send(room, { replyTo: first._id, thread: true }, 'bob')
    const last = await send(room)
    assert.equal((await search(room)).length, 1)
    assert.equal((await call(bob, `/rooms/${room}`)).unread, 3)

    await expire()
    const shown = await history(room)
    const byID = new Map(shown.map((message: { _id: string }) => [message._id, message]))
    for (const { _id } of [first, hidden, last]) {
      const { isDeleted, message, expiresAtMS, pinned } = byID.get(_id) as Record<string, unknown>
      assert.deepEqual([isDeleted, message, expiresAtMS, pinned], [true, undefined, undefined, undefined])
    }
    const { replyTo } = byID.get(reply._id) as { replyTo: object }
    assert.deepEqual(replyTo, { _id: first._id, sender: 'alice', messageType: 'text', text: '', isDeleted: true })
    const listed = await call(bob, `/rooms/${room}`)
    assert.deepEqual([listed.unread, listed.lastMessage.isDeleted], [1, true])
    const thread = await call(alice, `/messages/${first._id}/thread`)
    assert.deepEqual([thread.totalCount, thread.unread, thread.data[0].isDeleted], [1, 0, true])
    assert.deepEqual(await search(room), [{ room, messages: [(await history(room)).find(kept)._id] }])
    const stored = await findAllMessages(gateway.chat.db, { room, isDeleted: true })
    assert.deepEqual([stored.length, stored.some(({ content }) => content !== undefined)], [4, false])
    for (const { _id } of [first, hidden, ofThread, last]) assert.equal(await timesHeard(room, _id), 1)
  })
  const kept = ({ isDeleted, message }: { isDeleted: boolean; message: unknown }) => !isDeleted && message === 'secret'

  test('emits nothing if it was already deleted, alone or with all; in a deleted room its text is removed silently', async () => {
    const room = await newRoom({ expiresInS: 60 })
    const alone = await send(room)
    await alice.call('DELETE', `/rooms/${room}/messages/${alone._id}`)
    const withAll = await send(room)
    await alice.call('DELETE', `/rooms/${room}/messages/_all`)
    const gone = await newRoom({ expiresInS: 60 })
    const inGone = await send(gone)
    await gateway.chat.flusher.drained()
    await alice.call('DELETE', `/rooms/${gone}`)
    await expire()
    const counts = [await timesHeard(room, alone._id), await timesHeard(room, withAll._id)]
    assert.deepEqual(counts, [1, 0])
    const silent = heard.events.filter(
      ({ event, to }) => event === 'messageDeleted' && 'room' in to && to.room === gone,
    )
    assert.deepEqual(silent, [])
    const { db } = gateway.chat
    assert.equal((await db.messages.findOne({ _id: inGone._id }))?.content, undefined)
    assert.deepEqual(await findExpired(db, Date.now(), 10), [])
  })

  test('is found by an index that has only expiring messages', async () => {
    const room = await newRoom()
    const { db } = gateway.chat
    const one = {
      app: gateway.app,
      room: 'many',
      roomKey: 'many',
      sender: 'alice',
      messageType: 'text',
      updatedAtMS: 1,
    }
    const many = Array.from({ length: 2_000 }, (_, i) => ({ ...one, _id: newId(), seq: i + 1, createdAtMS: i }))
    await db.messages.insertMany(many)
    for (const expiresInS of [60, 120, 3_600]) await send(room, { expiresInS })
    await gateway.chat.flusher.drained()
    const atMS = Date.now() + 150_000
    const { executionStats } = await expiredMessages(db, atMS, 100).explain('executionStats')
    const { nReturned, totalKeysExamined, totalDocsExamined } = executionStats
    assert.deepEqual([nReturned, totalKeysExamined, totalDocsExamined], [2, 2, 2])
    await db.messages.deleteMany({ roomKey: 'many' })
  })

  for (const step of ['taken', 'stored', 'committed'] as const) {
    test(`is taken over from a process killed (-9) when it is ${step}: deleted once, never partially`, async () => {
      const room = await newRoom({ expiresInS: 60 })
      const sent = await send(room)
      await beDue()
      const { mongoUrl, natsUrl } = await testServers()
      const database = gateway.chat.db.mongo.databaseName
      const work: DyingChange = { mongoUrl: withDatabase(mongoUrl, database), natsUrl, step }
      const child = fork(join(import.meta.dirname, '../../test-dying-change.ts'), [JSON.stringify(work)])
      assert.deepEqual((await once(child, 'exit'))[1], 'SIGKILL')
      await takeDue()
      const stopped = new AbortController()
      const relaying = runWorkers(gateway.chat, [relay(gateway.chat)], stopped.signal)
      await heard.next('messageDeleted', ({ messageID }: { messageID: string }) => messageID === sent._id)
      stopped.abort()
      await relaying
      assert.equal((await history(room))[0].isDeleted, true)
      assert.equal((await call(bob, `/rooms/${room}`)).unread, 0)
      assert.equal(await timesHeard(room, sent._id), 1)
    })
  }
})
