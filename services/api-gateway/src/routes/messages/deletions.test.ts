import assert from 'node:assert/strict'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { proves } from '@parley/conformance/proves'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { newId } from '@parley/db/messages/messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

let gateway: TestGateway
let owner: TestUser
let alice: TestUser
let bob: TestUser
let stranger: TestUser
let platformAdmin: TestUser

beforeAll(async () => {
  gateway = await startTestGateway()
  owner = await gateway.newUser('owner')
  alice = await gateway.newUser('alice')
  bob = await gateway.newUser('bob')
  stranger = await gateway.newUser('stranger')
  platformAdmin = await gateway.newUser('platform admin', { isAdmin: true })
})
afterAll(() => gateway.stop())

const newRoom = () => gateway.newRoom([owner, alice, bob], { owner: 'owner' })
const send = async (room: string, sender = 'alice', message: unknown = 'x') =>
  (await gateway.admin('POST', '/messages', { room, sender, message, messageType: 'text' })).body.result
const history = async (user: TestUser, room: string, query = '') =>
  (await user.call('GET', `/rooms/${room}/messages/v3?limit=500&${query}`)).body.result
const unreadIn = async (user: TestUser, room: string) => {
  const { body } = await user.call('GET', '/rooms')
  return body.result.data.find(({ _id }: { _id: string }) => _id === room).unread
}
/** As the list of rooms and the single room show it; both must agree. */
async function lastMessageIn(user: TestUser, room: string): Promise<{ _id: string; seq: number; message?: unknown }> {
  const { data } = (await user.call('GET', '/rooms')).body.result
  const { lastMessage } = data.find(({ _id }: { _id: string }) => _id === room)
  assert.deepEqual((await user.call('GET', `/rooms/${room}`)).body.result.lastMessage, lastMessage)
  return lastMessage
}
const makeManager = (room: string, user: TestUser) =>
  gateway.chat.db.rooms.updateOne({ _id: key(gateway.app, room) }, { $set: { managers: [user.id] } })
function tally(values: number[]): Map<number, number> {
  return values.reduce((counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1), new Map())
}
const signal = new AbortController().signal
/** The background work, after the deleting request had time to publish. */
async function erase(room: string): Promise<void> {
  const { rooms } = gateway.chat.db
  await rooms.updateOne({ _id: key(gateway.app, room) }, { $set: { 'erasing.leaseUntilMS': 0 } })
  while (await eraseNextRoom(gateway.chat, signal)) continue
  assert.equal((await rooms.findOne({ _id: key(gateway.app, room) }))?.erasing, undefined)
}

describe('POST /messages/user-delete', () => {
  test('hides the messages from the caller only, stops counting them as unread, and notifies their devices', async () => {
    proves('GET /rooms/{id}/messages/v3', 'result.userDeletedIDs')
    const room = await newRoom()
    const [one, two] = [await send(room), await send(room)]
    const heard = await gateway.hear()
    const body = { room, messages: [one._id] }
    const answer = await bob.call('POST', '/messages/user-delete', body)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body.result, { ...body, isUserDeleteAllMessagesInRoom: false })
    const event = await heard.next('userDeleteMessages')
    assert.deepEqual(event.payload, answer.body.result)
    assert.deepEqual(event.to, { app: gateway.app, user: 'bob' })

    const seen = await history(bob, room)
    assert.deepEqual(seen.userDeletedIDs, [one._id])
    assert.equal(seen.data.length, 2)
    assert.equal(await unreadIn(bob, room), 1)
    assert.deepEqual((await history(owner, room)).userDeletedIDs, [])
    assert.equal(await unreadIn(owner, room), 2)

    await bob.call('POST', '/messages/user-delete', { room, messages: [one._id, two._id, two._id] })
    assert.equal(await unreadIn(bob, room), 0)
    assert.deepEqual(heard.events.map(({ event: name }) => name).filter((name) => name !== 'chat message').length, 2)
  })

  for (const all of [false, true]) {
    test(`shows the latest message as a stub in the caller's rooms once they deleted ${all ? 'all' : 'it'}`, async () => {
      const room = await newRoom()
      await send(room)
      const last = await send(room, 'alice', 'a secret')
      const given = all ? { room } : { room, messages: [last._id] }
      await bob.call('POST', `/messages/user-delete${all ? '/all-in-room' : ''}`, given)
      const { message, isDeleted, ...hidden } = { isDeleted: false, ...(await lastMessageIn(bob, room)) }
      assert.deepEqual([hidden._id, hidden.seq, message, isDeleted], [last._id, 2, undefined, true])
      assert.equal((await lastMessageIn(owner, room)).message, 'a secret')
      await bob.call('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })
      await owner.call('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
      assert.equal((await lastMessageIn(bob, room)).message, undefined, 'also for who came back')
      const next = await send(room, 'alice', 'next')
      assert.deepEqual(
        [(await lastMessageIn(bob, room))._id, (await lastMessageIn(bob, room)).message],
        [next._id, 'next'],
      )
    })
  }

  test('an unknown message is 404 MESSAGE_NOT_FOUND naming it, and deletes nothing', async () => {
    const room = await newRoom()
    const { _id } = await send(room)
    const elsewhere = await send(await newRoom())
    const messages = [_id, elsewhere._id]
    const answer = await bob.call('POST', '/messages/user-delete', { room, messages })
    refused(answer, 404, 'MESSAGE_NOT_FOUND', new RegExp(elsewhere._id))
    assert.deepEqual((await history(bob, room)).userDeletedIDs, [])
  })

  test('bad requests', async () => {
    const room = await newRoom()
    const call = (body: unknown, user = bob) => user.call('POST', '/messages/user-delete', body)
    refused(await call({ room }), 400, 'MISSING_PARAMETER', /^messages /)
    refused(await call({ messages: ['x'] }), 400, 'MISSING_PARAMETER', /^room /)
    refused(await call({ room, messages: [] }), 400, 'INVALID_REQUEST', /^messages/)
    refused(await call({ room: 'none', messages: ['x'] }), 404, 'ROOM_NOT_FOUND')
    refused(await call({ room, messages: ['x'] }, stranger), 403, 'NOT_ROOM_MEMBER')
    refused(await bob.call('POST', '/messages/user-delete/all-in-room', {}), 400, 'MISSING_PARAMETER', /^room /)
    refused(await stranger.call('POST', '/messages/user-delete/all-in-room', { room }), 403, 'NOT_ROOM_MEMBER')
    refused(await bob.call('POST', '/messages/user-delete/all-in-room', { room: 'none' }), 404, 'ROOM_NOT_FOUND')
  })
})

describe('POST /messages/user-delete/all-in-room', () => {
  test('hides every present message from the caller; later ones count again', async () => {
    const room = await newRoom()
    const sent = [await send(room), await send(room, 'bob'), await send(room)]
    const heard = await gateway.hear()
    const answer = await bob.call('POST', '/messages/user-delete/all-in-room', { room })
    assert.deepEqual(answer.body.result, { room, messages: [], isUserDeleteAllMessagesInRoom: true, upToSeq: 3 })
    assert.deepEqual((await heard.next('userDeleteMessages')).payload, answer.body.result)
    assert.equal(await unreadIn(bob, room), 0)
    await send(room)
    assert.equal(await unreadIn(bob, room), 1)
    const { userDeletedIDs } = await history(bob, room)
    assert.deepEqual(new Set(userDeletedIDs), new Set(sent.map(({ _id }) => _id)))
    assert.equal(await unreadIn(owner, room), 4)
  })
})

describe('DELETE /rooms/{roomID}/messages/{messageID}', () => {
  test('leaves a stub with a new updated time, counts as unread for no one, emits messageDeleted to the room', async () => {
    const room = await newRoom()
    const [one, two] = [await send(room, 'alice', 'a secret'), await send(room)]
    const since = (await history(bob, room)).data[0]
    await bob.call('POST', `/messages/${one._id}/reaction`, { reaction: 'x' })
    await bob.call('POST', `/messages/${one._id}/pin`)
    const heard = await gateway.hear()
    const { status, body } = await owner.call('DELETE', `/rooms/${room}/messages/${one._id}`)
    assert.equal(status, 200)
    const { deletedAt, ...result } = body.result
    assert.deepEqual(result, { deletedCount: 1, roomID: room, messageID: one._id, deletedBy: 'owner' })
    assert.match(deletedAt, /^\d{4}-\d\d-\d\dT/)
    const event = await heard.next('messageDeleted')
    assert.deepEqual(event.payload, { room, messageID: one._id })
    assert.deepEqual(event.to, { app: gateway.app, room })

    const { data, totalCount } = await history(bob, room, `afterMessage=${since._id}`)
    assert.equal(totalCount, 2)
    const { updatedAtMS, ...shown } = data[0]
    assert.ok(updatedAtMS > since.updatedAtMS)
    assert.partialDeepStrictEqual(shown, { _id: one._id, seq: 1, isDeleted: true, reactions: [], reactionCount: 0 })
    assert.equal('message' in shown || 'pinned' in shown, false)
    assert.equal(await unreadIn(bob, room), 1)
    assert.equal(await unreadIn(alice, room), 0)
    assert.doesNotMatch(JSON.stringify(await findAllMessages(gateway.chat.db, { _id: one._id })), /a secret/)

    refused(await owner.call('DELETE', `/rooms/${room}/messages/${one._id}`), 404, 'MESSAGE_NOT_FOUND')
    refused(await bob.call('POST', `/messages/${one._id}/reaction`, { reaction: 'y' }), 404, 'MESSAGE_NOT_FOUND')
    const edit = { _id: one._id, message: 'back' }
    refused(await alice.call('POST', `/rooms/${room}/message`, edit), 404, 'MESSAGE_NOT_FOUND')
    assert.equal((await owner.call('DELETE', `/rooms/${room}/messages/${two._id}`)).status, 200)
  })

  test('is allowed for the owner, managers, platform admins and the API key', async () => {
    const room = await newRoom()
    await makeManager(room, alice)
    const ids = []
    for (let i = 0; i < 4; i++) ids.push((await send(room))._id)
    const callers: [(id: string) => Promise<Answer>, string | null][] = [
      [(id) => owner.call('DELETE', `/rooms/${room}/messages/${id}`), 'owner'],
      [(id) => alice.call('DELETE', `/rooms/${room}/messages/${id}`), 'alice'],
      [(id) => platformAdmin.call('DELETE', `/rooms/${room}/messages/${id}`), 'platform admin'],
      [(id) => gateway.admin('DELETE', `/rooms/${room}/messages/${id}`), null],
    ]
    refused(await bob.call('DELETE', `/rooms/${room}/messages/${ids[0]}`), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await bob.call('DELETE', `/rooms/${room}/messages/_all`), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await stranger.call('DELETE', `/rooms/${room}/messages/${ids[0]}`), 403, 'NOT_ROOM_MEMBER')
    for (const [i, [remove, deletedBy]] of callers.entries()) {
      assert.equal((await remove(ids[i] ?? '')).body.result.deletedBy, deletedBy)
    }
    refused(await owner.call('DELETE', `/rooms/${room}/messages/none`), 404, 'MESSAGE_NOT_FOUND')
    refused(await gateway.admin('DELETE', `/rooms/none/messages/${ids[0]}`), 404, 'ROOM_NOT_FOUND')
  })

  test('50 times at once over two gateways: one deletes, the others get MESSAGE_NOT_FOUND', async () => {
    const room = await newRoom()
    const { _id } = await send(room)
    await send(room)
    const other = await gateway.another()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? gateway : other).admin('DELETE', `/rooms/${room}/messages/${_id}`)),
    )
    assert.deepEqual(Object.fromEntries(tally(answers.map(({ status }) => status))), { 200: 1, 404: 49 })
    assert.equal(await unreadIn(bob, room), 1)
    await other.stop()
  })
})

describe('DELETE /rooms/{roomID}/messages/_all', () => {
  test('applies at once to history, rooms, unread and badge; the stubs get new updated times later', async () => {
    const room = await newRoom()
    for (let i = 0; i < 3; i++) await send(room, i === 1 ? 'bob' : 'alice', 'a secret')
    await owner.call('DELETE', `/rooms/${room}/messages/${(await send(room))._id}`)
    const before = await history(bob, room)
    const heard = await gateway.hear()
    const { body } = await owner.call('DELETE', `/rooms/${room}/messages/_all`)
    const { deletedAt: _, ...result } = body.result
    assert.deepEqual(result, { deletedCount: 3, roomID: room, messageID: '_all', deletedBy: 'owner' })
    const event = await heard.next('messageDeleted')
    const upToMS = Math.max(...before.data.map(({ createdAtMS }: { createdAtMS: number }) => createdAtMS))
    const { upToMS: clockMS, ...payload } = event.payload as EventPayload<'messageDeleted'>
    assert.deepEqual(payload, { room, messageID: '_all', upToSeq: 4 })
    assert.ok(clockMS !== undefined && clockMS >= upToMS, 'the threads end there too')
    assert.deepEqual(event.to, { app: gateway.app, room })

    const check = async () => {
      const { data, totalCount } = await history(bob, room)
      assert.equal(totalCount, 4)
      assert.deepEqual(data.map(({ seq }: { seq: number }) => seq).toSorted(), [1, 2, 3, 4])
      for (const stub of data) {
        assert.equal(stub.isDeleted, true)
        assert.equal('message' in stub, false)
      }
      for (const user of [owner, alice, bob]) assert.equal(await unreadIn(user, room), 0)
      const { body: rooms } = await bob.call('GET', '/rooms')
      const { lastMessage } = rooms.result.data.find(({ _id }: { _id: string }) => _id === room)
      assert.equal(lastMessage.isDeleted, true)
      assert.equal('message' in lastMessage, false)
      return data
    }
    const atOnce = await check()
    const edit = { _id: atOnce[0]._id, message: 'back' }
    refused(await alice.call('POST', `/rooms/${room}/message`, edit), 404, 'MESSAGE_NOT_FOUND')
    refused(await owner.call('DELETE', `/rooms/${room}/messages/${atOnce[0]._id}`), 404, 'MESSAGE_NOT_FOUND')
    await erase(room)
    await check()
    const after = await history(bob, room, `afterMessage=${before.data[0]._id}`)
    assert.equal(after.data.length, 3)
    const stored = await findAllMessages(gateway.chat.db, { roomKey: key(gateway.app, room) })
    assert.doesNotMatch(JSON.stringify(stored), /a secret/)
  })

  test('later messages count, delete and read normally', async () => {
    const room = await newRoom()
    await send(room)
    await send(room, 'bob')
    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    const [one, two, three] = [await send(room), await send(room, 'bob'), await send(room)]
    const counts = async () => Promise.all([owner, alice, bob].map((user) => unreadIn(user, room)))
    assert.deepEqual(await counts(), [3, 1, 2])
    await owner.call('DELETE', `/rooms/${room}/messages/${one._id}`)
    assert.deepEqual(await counts(), [2, 1, 1])
    await owner.call('POST', '/messages/user-delete', { room, messages: [two._id] })
    assert.deepEqual(await counts(), [1, 1, 1])
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: three._id })
    assert.deepEqual(await counts(), [1, 1, 0])
    await erase(room)
    assert.deepEqual(await counts(), [1, 1, 0])
  })

  test('a second time, and in an empty room, deletes 0', async () => {
    const room = await newRoom()
    const heard = await gateway.hear()
    const all = async () => (await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)).body.result.deletedCount
    assert.equal(await all(), 0)
    await send(room)
    const counts = await Promise.all(Array.from({ length: 10 }, all))
    assert.deepEqual(Object.fromEntries(tally(counts)), { 0: 9, 1: 1 })
    await heard.next('messageDeleted')
    assert.equal(heard.events.filter(({ event }) => event === 'messageDeleted').length, 1)
  })

  test('over many chunks during sends, makes every message a stub once, and a sync gets each', async () => {
    const room = await newRoom()
    const { db } = gateway.chat
    const roomKey = key(gateway.app, room)
    const many = 1_700
    const documents = Array.from({ length: many }, (_, i) => ({
      _id: newId(),
      app: gateway.app,
      room,
      roomKey,
      seq: i + 1,
      sender: 'alice',
      content: '"x"',
      messageType: 'text',
      createdAtMS: i + 1,
      updatedAtMS: i + 1,
    }))
    await db.messages.insertMany(documents)
    await db.rooms.updateOne({ _id: roomKey }, { $set: { seq: many } })
    const { body } = await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    assert.equal(body.result.deletedCount, many)
    const since = Date.now() - 1
    const sends = (async () => {
      for (let i = 0; i < 20; i++) await send(room, 'alice', 'after')
    })()
    await erase(room)
    await sends
    const learned: { _id: string; isDeleted: boolean }[] = []
    for (let cursor = `afterTime=${since}`; ; cursor = `afterMessage=${learned.at(-1)?._id}`) {
      const { data } = await history(bob, room, cursor)
      if (data.length === 0) break
      learned.push(...data)
    }
    assert.equal(new Set(learned.map(({ _id }) => _id)).size, learned.length)
    assert.equal(learned.filter(({ isDeleted }) => isDeleted).length, many)
    assert.equal(learned.filter(({ isDeleted }) => !isDeleted).length, 20)
    assert.equal(await unreadIn(bob, room), 20)
  })
})

test('an event published late omits messages that _all deleted meanwhile', async () => {
  const room = await newRoom()
  const { _id } = await send(room, 'alice', 'a secret')
  await gateway.chat.outbox.drained()
  const { db } = gateway.chat
  await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
  await db.outbox.insertOne({ _id, atMS: 1, events: [{ kind: 'message', message: _id, event: 'chat message' }] })
  const heard = await gateway.hear()
  const stop = new AbortController()
  const relaying = runWorkers(gateway.chat, [relay(gateway.chat)], stop.signal)
  const { payload } = await heard.next('chat message', (message: { _id: string }) => message._id === _id)
  stop.abort()
  await relaying
  assert.equal((payload as { isDeleted: boolean }).isDeleted, true)
  assert.doesNotMatch(JSON.stringify(payload), /a secret/)
})
