import assert from 'node:assert/strict'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import type { Session } from '@parley/db/connect'
import { insertEntries } from '@parley/db/events/outbox-store'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'
import { setStored } from '../../test-stored.ts'

interface Seen {
  _id: string
}

describe('POST /rooms/{id}/message', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let stranger: TestUser
  let room: string

  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    bob = await gateway.newUser('bob')
    stranger = await gateway.newUser('stranger')
    room = await gateway.newRoom([alice, bob])
  })
  afterAll(() => gateway.stop())

  const path = (id = room) => `/rooms/${encodeURIComponent(id)}/message`
  const send = async (user: TestUser, message: unknown = 'Hello', id = room) =>
    (await user.call('POST', path(id), { message, messageType: 'text' })).body.result
  const history = async (id = room) =>
    (await alice.call('GET', `/rooms/${encodeURIComponent(id)}/messages/v3`)).body.result.data
  const block = async (user: TestUser, id: string) => {
    assert.equal((await gateway.admin('POST', `/blockStatus/room/${id}/${user.id}`)).status, 200)
  }
  const freeze = async (id: string) =>
    assert.equal((await gateway.admin('PUT', `/rooms/${id}`, { status: 0 })).status, 200)

  test('sends as the caller, returns the result of POST /messages and emits chat message', async () => {
    const heard = await gateway.hear()
    const wanted = {
      message: { a: [1] },
      messageType: 'custom',
      mentions: ['bob'],
      clientMessageID: 'c 1',
      push: false,
    }
    const { status, body } = await alice.call('POST', path(), wanted)
    assert.equal(status, 200)
    const { push: _, ...shown } = wanted
    assert.partialDeepStrictEqual(body.result, {
      ...shown,
      room,
      sender: 'alice',
      appID: gateway.app,
      isDeleted: false,
    })
    const event = await heard.next('chat message', ({ _id }: Seen) => _id === body.result._id)
    assert.partialDeepStrictEqual(event.payload, { ...shown, sender: { _id: 'alice', nickname: 'Alice' } })
    assert.equal(event.incoming.push, false)
  })

  test('with the API key sends as sender', async () => {
    const { body } = await gateway.admin('POST', path(), { sender: 'bob', message: 'x', messageType: 'text' })
    assert.equal(body.result.sender, 'bob')
  })

  test('without message, messageType or (API key) sender is 400 MISSING_PARAMETER naming the field', async () => {
    refused(await alice.call('POST', path(), { messageType: 'text' }), 400, 'MISSING_PARAMETER', /^message /)
    refused(await alice.call('POST', path(), { message: 'x' }), 400, 'MISSING_PARAMETER', /^messageType /)
    const noSender = await gateway.admin('POST', path(), { message: 'x', messageType: 'text' })
    refused(noSender, 400, 'MISSING_PARAMETER', /^sender /)
  })

  test('refuses the same input as POST /messages', async () => {
    const whole = { message: 'x', messageType: 'text' }
    refused(await alice.call('POST', path('none'), whole), 404, 'ROOM_NOT_FOUND')
    refused(await stranger.call('POST', path(), whole), 403, 'NOT_ROOM_MEMBER')
    refused(await gateway.admin('POST', path(), { ...whole, sender: 'nobody' }), 404, 'CLIENT_NOT_FOUND')
    refused(await alice.call('POST', path(), { ...whole, sender: 'bob' }), 400, 'INVALID_REQUEST', /^sender/)
    refused(await alice.call('POST', path(), { ...whole, wrong: 1 }), 400, 'INVALID_REQUEST', /^wrong/)
    const large = { ...whole, message: 'x'.repeat(64 * 1024) }
    refused(await alice.call('POST', path(), large), 413, 'MESSAGE_TOO_LARGE')
    refused(await gateway.anonymous('POST', path(), whole), 401, 'INVALID_CLIENT_KEY')
  })

  test('a banned user cannot send, edit, recall, react or pin (403 USER_BLOCKED)', async () => {
    const id = await gateway.newRoom([alice, bob])
    const { _id } = await send(bob, 'before the ban', id)
    await block(bob, id)
    const attempts = [
      bob.call('POST', path(id), { message: 'x', messageType: 'text' }),
      bob.call('POST', path(id), { _id, message: 'x' }),
      bob.call('POST', path(id), { _id, messageType: 'recall' }),
      bob.call('POST', `/messages/${_id}/reaction`, { reaction: '+' }),
      bob.call('DELETE', `/messages/${_id}/reaction?reaction=%2B`),
      bob.call('POST', `/messages/${_id}/pin`),
      bob.call('DELETE', `/messages/${_id}/pin`),
    ]
    for (const answer of await Promise.all(attempts)) refused(answer, 403, 'USER_BLOCKED')
    assert.equal((await bob.call('GET', `/rooms/${id}/messages/v3`)).status, 200)
  })

  test('with _id of an own message edits it: new content, later updated time, messageUpdated to the room', async () => {
    const heard = await gateway.hear()
    const sent = await send(alice)
    const later = await send(bob)
    const { status, body } = await alice.call('POST', path(), { _id: sent._id, message: { new: true } })
    assert.equal(status, 200)
    const { _id, seq, messageType, createdAtMS } = sent
    assert.partialDeepStrictEqual(body.result, {
      _id,
      seq,
      messageType,
      createdAtMS,
      message: { new: true },
      sender: 'alice',
    })
    assert.ok(body.result.updatedAtMS > later.updatedAtMS)
    const { to, payload } = await heard.next('messageUpdated')
    assert.deepEqual(to, { app: gateway.app, room })
    assert.deepEqual(payload, { ...body.result, sender: (payload as { sender: object }).sender })
    assert.partialDeepStrictEqual(payload, { sender: { _id: 'alice', nickname: 'Alice' } })
    assert.deepEqual((await history())[0], payload)
  })

  test('lets the API key edit as the sender', async () => {
    const { _id } = await send(bob)
    const { body } = await gateway.admin('POST', path(), { _id, sender: 'bob', message: 'by key', messageType: 'x' })
    assert.partialDeepStrictEqual(body.result, { _id, message: 'by key', messageType: 'x' })
    refused(await gateway.admin('POST', path(), { _id, sender: 'nobody', message: 'x' }), 404, 'CLIENT_NOT_FOUND')
  })

  test('recall clears the content, sets the type to recall and emits messageUpdated; a second recall changes nothing', async () => {
    const heard = await gateway.hear()
    const { _id } = await send(alice, 'a secret')
    const { body } = await alice.call('POST', path(), { _id, messageType: 'recall' })
    assert.partialDeepStrictEqual(body.result, { _id, messageType: 'recall', isDeleted: false })
    assert.equal('message' in body.result, false)
    const { payload } = await heard.next('messageUpdated')
    assert.equal('message' in (payload as object), false)
    const again = await alice.call('POST', path(), { _id, messageType: 'recall' })
    assert.equal(again.body.result.updatedAtMS, body.result.updatedAtMS)
    refused(await alice.call('POST', path(), { _id, message: 'back' }), 400, 'INVALID_REQUEST', /recalled/)
    const stored = await findAllMessages(gateway.chat.db, { _id })
    assert.doesNotMatch(JSON.stringify(stored), /a secret/)
  })

  test('a message sent with messageType recall is edited and recalled like any other', async () => {
    const sent = await alice.call('POST', path(), { message: 'oops', messageType: 'recall' })
    const { _id } = sent.body.result
    const edited = await alice.call('POST', path(), { _id, message: 'a secret' })
    assert.partialDeepStrictEqual(edited.body.result, { _id, message: 'a secret', messageType: 'recall' })
    const { status, body } = await alice.call('POST', path(), { _id, messageType: 'recall' })
    assert.deepEqual([status, 'message' in body.result], [200, false])
    const [last] = await history()
    assert.deepEqual([last._id, last.messageType, 'message' in last], [_id, 'recall', false])
    refused(await alice.call('POST', path(), { _id, message: 'back' }), 400, 'INVALID_REQUEST', /recalled/)
    const stored = await findAllMessages(gateway.chat.db, { _id })
    assert.doesNotMatch(JSON.stringify(stored), /a secret/)
  })

  test("another user's message is 403 INSUFFICIENT_PERMISSIONS, an unknown one 404 MESSAGE_NOT_FOUND", async () => {
    const { _id } = await send(bob)
    const edit = { _id, message: 'x' }
    refused(await alice.call('POST', path(), edit), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await alice.call('POST', path(), { _id, messageType: 'recall' }), 403, 'INSUFFICIENT_PERMISSIONS')
    refused(await alice.call('POST', path(), { _id: 'none', message: 'x' }), 404, 'MESSAGE_NOT_FOUND')
    refused(await alice.call('POST', path(), { _id }), 400, 'MISSING_PARAMETER', /^message /)
    const elsewhere = await gateway.newRoom([alice, bob])
    refused(await bob.call('POST', path(elsewhere), edit), 404, 'MESSAGE_NOT_FOUND')
    refused(await stranger.call('POST', path(), edit), 403, 'NOT_ROOM_MEMBER')
  })

  test('a frozen room refuses edits (403 ROOM_FROZEN) but allows recalls', async () => {
    const id = await gateway.newRoom([alice])
    const { _id } = await send(alice, 'x', id)
    await freeze(id)
    refused(await alice.call('POST', path(id), { _id, message: 'y' }), 403, 'ROOM_FROZEN')
    assert.equal((await alice.call('POST', path(id), { _id, messageType: 'recall' })).status, 200)
  })

  test('concurrent edits over two gateways all take effect, and every client receives the last one last', async () => {
    const other = await gateway.another()
    const heard = await gateway.hear()
    const { _id } = await send(alice, 'x')
    const edits = Array.from({ length: 20 }, (_, i) =>
      (i % 2 ? gateway : other).admin('POST', path(), { _id, sender: 'alice', message: i }),
    )
    const results = (await Promise.all(edits)).map(({ body }) => body.result)
    assert.equal(new Set(results.map(({ updatedAtMS }) => updatedAtMS)).size, 20)
    const last = results.toSorted((a, b) => b.updatedAtMS - a.updatedAtMS)[0]
    assert.equal((await history())[0].message, last.message)
    await heard.next('messageUpdated', ({ updatedAtMS }: { updatedAtMS: number }) => updatedAtMS === last.updatedAtMS)
    await Promise.all([gateway.chat.outbox.drained(), other.chat.outbox.drained()])
    assert.equal(await gateway.chat.db.outbox.countDocuments({ 'events.message': _id }), 0)
    await other.stop()
  })

  test('reactions: once per user and reaction; each call returns the Message and emits messageUpdated', async () => {
    const heard = await gateway.hear()
    const { _id } = await send(alice)
    const react = (user: TestUser, reaction: unknown) => user.call('POST', `/messages/${_id}/reaction`, { reaction })
    await Promise.all([react(alice, '👍'), react(bob, '👍'), react(bob, '👍'), react(bob, '+1'), react(alice, '👍')])
    const { body } = await react(bob, '👍')
    const wanted = [
      { client: 'alice', reaction: '👍' },
      { client: 'bob', reaction: '+1' },
      { client: 'bob', reaction: '👍' },
    ]
    const sorted = (list: { client: string; reaction: string }[]) =>
      list.toSorted((a, b) => (a.client + a.reaction < b.client + b.reaction ? -1 : 1))
    assert.deepEqual(sorted(body.result.reactions), wanted)
    assert.equal(body.result.reactionCount, 3)
    assert.equal(body.result.sender._id, 'alice')
    await heard.next('messageUpdated', ({ reactionCount }: { reactionCount: number }) => reactionCount === 3)

    const removed = await bob.call('DELETE', `/messages/${_id}/reaction?reaction=${encodeURIComponent('+1')}`)
    assert.equal(removed.body.result.reactionCount, 2)
    const again = await bob.call('DELETE', `/messages/${_id}/reaction?reaction=${encodeURIComponent('+1')}`)
    assert.equal(again.body.result.updatedAtMS, removed.body.result.updatedAtMS)

    refused(await react(stranger, 'x'), 403, 'NOT_ROOM_MEMBER')
    refused(await react(alice, undefined), 400, 'MISSING_PARAMETER', /^reaction /)
    refused(await react(alice, ''), 400, 'INVALID_REQUEST', /^reaction/)
    refused(await alice.call('POST', '/messages/none/reaction', { reaction: 'x' }), 404, 'MESSAGE_NOT_FOUND')
    refused(await alice.call('DELETE', `/messages/${_id}/reaction`), 400, 'INVALID_QUERY')
  })

  test('a message has at most 500 reactions', async () => {
    const { _id } = await send(alice)
    const reactions = Array.from({ length: 500 }, (_, i) => ({ client: 'bob', reaction: `r${i}` }))
    await gateway.chat.flusher.drained()
    await setStored(gateway.chat.db, _id, { reactions })
    refused(await alice.call('POST', `/messages/${_id}/reaction`, { reaction: 'x' }), 400, 'INVALID_REQUEST', /500/)
  })

  test('pin and unpin return the Message with pinned, and each emits messageUpdated once', async () => {
    const { _id } = await send(alice)
    const heard = await gateway.hear()
    const pinned = await bob.call('POST', `/messages/${_id}/pin`)
    assert.equal(pinned.body.result.pinned, true)
    assert.equal(
      (await bob.call('POST', `/messages/${_id}/pin`)).body.result.updatedAtMS,
      pinned.body.result.updatedAtMS,
    )
    const unpinned = await alice.call('DELETE', `/messages/${_id}/pin`)
    assert.equal(unpinned.body.result.pinned, undefined)
    assert.equal((await alice.call('DELETE', `/messages/${_id}/pin`)).status, 200)
    await heard.next(
      'messageUpdated',
      ({ updatedAtMS }: { updatedAtMS: number }) => updatedAtMS === unpinned.body.result.updatedAtMS,
    )
    assert.equal(heard.events.filter(({ event }) => event === 'messageUpdated').length, 2)
    refused(await stranger.call('POST', `/messages/${_id}/pin`), 403, 'NOT_ROOM_MEMBER')
    refused(await alice.call('DELETE', '/messages/none/pin'), 404, 'MESSAGE_NOT_FOUND')
  })

  test('an event that the bus did not accept is published later, with the current message, and then deleted', async () => {
    const { chat } = gateway
    const { _id } = await send(alice)
    await alice.call('POST', path(), { _id, message: 'one' })
    await chat.outbox.drained()
    // As if the process that wrote 'one' had died before it published.
    const events = [{ kind: 'message' as const, message: _id, event: 'messageUpdated' as const }]
    const orderingKey = 'of its own'
    const inSession = (session: Session) => insertEntries(chat.db, [{ orderingKey, events }], session)
    await inTransaction(chat.db, inSession)
    await chat.db.outbox.updateOne({ orderingKey }, { $set: { atMS: 1 } })
    await alice.call('POST', path(), { _id, message: 'two' })
    await chat.outbox.drained()
    const heard = await gateway.hear()
    const stop = new AbortController()
    const relaying = runWorkers(chat, [relay(chat)], stop.signal)
    const { payload } = await heard.next('messageUpdated', (message: { _id: string }) => message._id === _id)
    stop.abort()
    await relaying
    await chat.outbox.drained()
    assert.equal((payload as { message: string }).message, 'two')
    assert.equal(await chat.db.outbox.countDocuments({ 'events.message': _id }), 0)
  })
})
