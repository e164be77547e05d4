import assert from 'node:assert/strict'
import { rebuildSince } from '@parley/chat/events/rebuild-stream'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { expireDue } from '@parley/chat/messages/changing/expire-messages'
import type { Message } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'

interface Thread {
  root: Message
  totalCount: number
  takesPart: boolean
  unread: number
  data: Message[]
  userDeletedIDs: string[]
}

describe('a thread', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let stranger: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice', { nickname: 'Alice' }), await gateway.newUser('bob')]
    ;[carol, stranger] = [await gateway.newUser('carol'), await gateway.newUser('stranger')]
  })
  afterAll(() => gateway.stop())

  const newRoom = () => gateway.newRoom([alice, bob, carol], { owner: 'alice' })
  const post = (room: string, sender: string, message: unknown, more: object = {}): Promise<Answer> =>
    gateway.admin('POST', '/messages', { room, sender, message, messageType: 'text', ...more })
  const send = async (...given: Parameters<typeof post>): Promise<Message> => {
    const { status, body } = await post(...given)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const inThread = (room: string, sender: string, root: Message, message: unknown = 'x', more: object = {}) =>
    send(room, sender, message, { replyTo: root._id, thread: true, ...more })
  const thread = async (user: TestUser, { _id }: Message, query = ''): Promise<Thread> => {
    const { status, body } = await user.call('GET', `/messages/${_id}/thread?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const unread = (root: Message) =>
    Promise.all([alice, bob, carol].map(async (user) => (await thread(user, root)).unread))
  const history = async (room: string) => (await bob.call('GET', `/rooms/${room}/messages/v3?limit=500`)).body.result

  test('returns nothing to a member removed while it is read', async () => {
    const room = await newRoom()
    const root = await send(room, 'alice', 'root')
    const first = await inThread(room, 'alice', root)
    const takeOut = async () => {
      await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['carol'] })
      await inThread(room, 'alice', root, 'secret')
    }
    const { memberships, threadMembers } = gateway.chat.db
    /** Removes carol right after the request's first read of a document of the collection. */
    const afterFirst = (collection: typeof memberships) => {
      const findOne = collection.findOne.bind(collection) as (...given: unknown[]) => Promise<never>
      vi.spyOn(collection, 'findOne').mockImplementationOnce(async (...given: unknown[]) => {
        const found = await findOne(...given)
        await takeOut()
        return found
      })
    }
    onTestFinished(() => void vi.restoreAllMocks())
    afterFirst(threadMembers)
    const { data } = await thread(carol, root)
    assert.deepEqual(
      data.map(({ _id }) => _id),
      [first._id],
    )
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['carol'] })
    afterFirst(memberships)
    const { status, body } = await carol.call('GET', `/messages/${root._id}/thread`)
    assert.deepEqual([status, body.error?.code], [403, 'NOT_ROOM_MEMBER'])
  })

  test("keeps its messages separate: the room's order does not change, and its members get `thread message`", async () => {
    const heard = await gateway.hear()
    const room = await newRoom()
    const root = await send(room, 'alice', 'root')
    const before = (await carol.call('GET', `/rooms/${room}`)).body.result
    const body = { message: 'first', messageType: 'text', replyTo: root._id, thread: true }
    const first: Message = (await bob.call('POST', `/rooms/${room}/message`, body)).body.result
    assert.deepEqual([first.seq, first.threadOf, first.replyTo?.text], [1, root._id, 'root'])
    const event = await heard.next('thread message', ({ _id }: Message) => _id === first._id)
    assert.deepEqual(event.to, { app: gateway.app, room })
    assert.partialDeepStrictEqual(event.payload, { seq: 1, threadOf: root._id, sender: { _id: 'bob' } })

    // Without `thread`, too, a reply to a threaded message stays in its thread.
    const second = await send(room, 'alice', 'second', { replyTo: first._id })
    assert.deepEqual([second.seq, second.threadOf, second.replyTo?._id], [2, root._id, first._id])
    const after = (await carol.call('GET', `/rooms/${room}`)).body.result
    assert.deepEqual([after.unread, after.lastMessage._id], [before.unread, root._id])
    const { totalCount, data } = await history(room)
    assert.deepEqual([totalCount, data.length], [1, 1])
    const quote = { _id: second._id, sender: 'alice', messageType: 'text', text: 'second', isDeleted: false }
    const of = { threadCount: 2, threadLatestSeq: 2, threadParticipants: ['alice', 'bob'], lastThreadMessage: quote }
    assert.partialDeepStrictEqual(data[0], of)
    assert.equal(data[0].updatedAtMS, root.updatedAtMS)
    assert.equal((await send(room, 'carol', 'room')).seq, 2)
    await heard.next('chat message', ({ message, room: of }: Message) => of === room && message === 'room')
    const inRoom = heard.events.filter(({ to }) => 'room' in to && to.room === room).map(({ event: name }) => name)
    assert.deepEqual(inRoom.filter((name) => name === 'chat message').length, 2)

    const page = await thread(carol, root)
    assert.partialDeepStrictEqual(page, { root: { _id: root._id, ...of }, totalCount: 2, takesPart: false, unread: 0 })
    assert.deepEqual(
      page.data.map(({ message }) => message),
      ['second', 'first'],
    )
    assert.equal(page.data[0]?.sender.nickname, 'Alice')
    const walk = (query: string) => thread(carol, second, query).then(({ data: found }) => found.map(({ seq }) => seq))
    assert.deepEqual(await walk('afterTime=0&limit=1'), [1])
    assert.deepEqual(await walk(`afterMessage=${first._id}`), [2])
    assert.deepEqual(await walk(`beforeMessage=${second._id}&timeRangeField=createdAt`), [1])
    assert.deepEqual((await thread(carol, data[0], 'limit=1')).data.length, 1)
  })

  test('counts unread messages of participants exactly', async () => {
    const room = await newRoom()
    const root = await send(room, 'alice', 'root')
    const [one, two] = [await inThread(room, 'bob', root), await inThread(room, 'bob', root)]
    assert.deepEqual(await unread(root), [2, 0, 0])
    const three = await inThread(room, 'carol', root)
    assert.deepEqual(await unread(root), [3, 1, 0])
    await inThread(room, 'alice', root)
    assert.deepEqual(await unread(root), [3, 2, 1])

    const read = async (user: TestUser, message: Message) =>
      (await user.call('PUT', `/messages/${root._id}/thread/lastRead`, { message: message._id })).body.result
    assert.deepEqual(await read(alice, one), { threadOf: root._id, unread: 2 })
    await alice.call('DELETE', `/rooms/${room}/messages/${two._id}`)
    assert.deepEqual(await unread(root), [1, 2, 1])
    const hide = { room, messages: [three._id] }
    assert.equal((await bob.call('POST', '/messages/user-delete', hide)).status, 200)
    assert.deepEqual(await unread(root), [1, 1, 1])
    assert.deepEqual((await thread(bob, root)).userDeletedIDs, [three._id])
    await alice.call('DELETE', `/rooms/${room}/messages/${three._id}`)
    assert.deepEqual(await unread(root), [0, 1, 1])
    assert.deepEqual(await read(bob, one), { threadOf: root._id, unread: 1 })
    assert.equal((await read(carol, three)).unread, 1)
    assert.equal((await read(alice, one)).unread, 0)
    const rooms = (await carol.call('GET', '/rooms')).body.result.data
    assert.equal(rooms.find(({ _id }: Message) => _id === room).unread, 1)
    const all = await carol.call('POST', '/messages/user-delete/all-in-room', { room })
    assert.equal(all.status, 200)
    // The root belongs to the room; the messages of the thread stay.
    assert.deepEqual([(await thread(carol, root)).userDeletedIDs, await unread(root)], [[root._id], [0, 1, 1]])
    const elsewhere = { message: root._id }
    refused(
      await bob.call('PUT', `/messages/${root._id}/thread/lastRead`, elsewhere),
      404,
      'MESSAGE_NOT_FOUND',
      /^message: /,
    )
    const readers = (await alice.call('GET', `/messages/${one._id}/readers`)).body.result.data
    assert.deepEqual(readers.map(({ _id }: Message) => _id).toSorted(), ['alice', 'carol'])
  })

  test('a recalled message is unread for no one, and counts once, regardless of later changes', async () => {
    const room = await newRoom()
    const root = await send(room, 'alice', 'root')
    const recall = async (user: TestUser, { _id }: Message) =>
      assert.equal((await user.call('POST', `/rooms/${room}/message`, { _id, messageType: 'recall' })).status, 200)
    const sent: Message[] = []
    for (const sender of ['bob', 'bob', 'carol', 'bob', 'bob']) sent.push(await inThread(room, sender, root))
    const [first, second, third, fourth] = sent as [Message, Message, Message, Message]
    assert.deepEqual(await unread(root), [5, 1, 2])
    for (const message of [first, second, fourth]) await recall(bob, message)
    await recall(carol, third)
    await recall(carol, third)
    assert.deepEqual(await unread(root), [1, 0, 1])
    await alice.call('POST', '/messages/user-delete', { room, messages: [first._id] })
    await alice.call('DELETE', `/rooms/${room}/messages/${second._id}`)
    await gateway.chat.db.messages.updateOne({ _id: third._id }, { $set: { expiresAtMS: 1 } })
    await expireDue(gateway.chat)
    assert.deepEqual(await unread(root), [1, 0, 1])
    const read = { message: first._id }
    const { unread: left } = (await alice.call('PUT', `/messages/${root._id}/thread/lastRead`, read)).body.result
    assert.deepEqual([left, await unread(root)], [1, [1, 0, 1]])
  })

  test('has no gap and no duplicate while others send to it and to its room', async () => {
    const other = await gateway.another()
    const room = await newRoom()
    const roots = [await send(room, 'alice', 'root 1'), await send(room, 'alice', 'root 2')]
    const sends = Array.from({ length: 60 }, async (_, i) => {
      const by = i % 2 === 0 ? gateway : other
      const root = roots[i % 3]
      const own = root
        ? { replyTo: root._id, thread: true, clientMessageID: `key ${i % 30}` }
        : { clientMessageID: `of the room ${i}` }
      const body = { room, sender: 'bob', message: String(i), messageType: 'text', ...own }
      for (;;) {
        const { status, body: answer } = await by.admin('POST', '/messages', body)
        // An overloaded machine lets some sends time out; they are repeated under their keys.
        if (status === 503) continue
        assert.equal(status, 200, JSON.stringify(answer))
        return answer.result as Message
      }
    })
    const sent = await Promise.all(sends)
    await other.stop()
    const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
    for (const root of roots) {
      const { data, totalCount, unread: left } = await thread(alice, root, 'limit=100')
      assert.deepEqual([totalCount, left, data.length], [10, 10, 10])
      assert.deepEqual(
        data.map(({ seq }) => seq).toSorted((a, b) => a - b),
        upTo(10),
      )
    }
    const own = new Set(sent.filter(({ threadOf }) => threadOf !== undefined).map(({ _id }) => _id))
    assert.equal(own.size, 20)
    const { data, totalCount } = await history(room)
    assert.equal(totalCount, 22)
    assert.deepEqual(
      data.map(({ seq }: Message) => seq).toSorted((a: number, b: number) => a - b),
      upTo(22),
    )
  })

  test('refuses members who cannot send to the room, and needs a root message', async () => {
    const room = await newRoom()
    const root = await send(room, 'alice', 'root')
    const reply = { replyTo: root._id, thread: true }
    refused(await post(room, 'bob', 'x', { thread: true }), 400, 'MISSING_PARAMETER', /^replyTo /)
    refused(await post(room, 'bob', 'x', { ...reply, thread: 'yes' }), 400, 'INVALID_REQUEST', /^thread: /)
    refused(await post(room, 'bob', 'x', { ...reply, replyTo: 'none' }), 404, 'MESSAGE_NOT_FOUND', /^replyTo: /)
    refused(await post(room, 'stranger', 'x', reply), 403, 'NOT_ROOM_MEMBER')
    refused(await post(room, 'nobody', 'x', reply), 404, 'CLIENT_NOT_FOUND')
    refused(await post('no room', 'bob', 'x', reply), 404, 'ROOM_NOT_FOUND')
    refused(await stranger.call('GET', `/messages/${root._id}/thread`), 403, 'NOT_ROOM_MEMBER')
    refused(await bob.call('GET', '/messages/none/thread'), 404, 'MESSAGE_NOT_FOUND')
    refused(await bob.call('GET', `/messages/${root._id}/thread?limit=x`), 400, 'INVALID_QUERY', /^limit/)
    refused(await bob.call('GET', `/messages/${root._id}/thread?afterMessage=${root._id}`), 404, 'MESSAGE_NOT_FOUND')
    assert.deepEqual([(await thread(bob, root)).totalCount, (await thread(bob, root)).data], [0, []])

    await alice.call('POST', `/blockStatus/room/${room}/bob`)
    refused(await post(room, 'bob', 'x', reply), 403, 'USER_BLOCKED')
    const kept = await inThread(room, 'carol', root, 'kept')
    await alice.call('PUT', `/rooms/${room}`, { status: 0 })
    refused(await post(room, 'carol', 'x', reply), 403, 'ROOM_FROZEN')
    await alice.call('PUT', `/rooms/${room}`, { status: 1 })

    // Deleting the root keeps the thread and its messages.
    await alice.call('DELETE', `/rooms/${room}/messages/${root._id}`)
    refused(await post(room, 'carol', 'x', reply), 404, 'MESSAGE_NOT_FOUND', /^replyTo: /)
    assert.equal((await send(room, 'alice', 'on', { replyTo: kept._id })).seq, 2)
    const page = await thread(alice, root)
    assert.deepEqual([page.root.isDeleted, page.root.threadCount, page.data.length], [true, 2, 2])
    await alice.call('POST', `/rooms/${room}/delete/members`, { members: ['carol'] })
    refused(await carol.call('GET', `/messages/${root._id}/thread`), 403, 'NOT_ROOM_MEMBER')
    await alice.call('DELETE', `/rooms/${room}`)
    refused(await alice.call('GET', `/messages/${root._id}/thread`), 404, 'ROOM_NOT_FOUND')
  })

  test('has messages that are edited, recalled, reacted to and searched like others', async () => {
    await gateway.admin('POST', '/config', { censorship: { keywords: ['damn'] } })
    const heard = await gateway.hear()
    const room = await newRoom()
    const root = await send(room, 'alice', 'root')
    const first = await inThread(room, 'bob', root, 'damn needle')
    assert.equal(first.message, '**** needle')
    await gateway.admin('DELETE', '/config/censorship')
    const find = async (keyword: string) =>
      (await carol.call('POST', '/search', { type: ['messages'], keyword, room })).body.result.messages
    assert.deepEqual(await find('needle'), [
      { room, messages: [], threadMessages: [{ _id: first._id, threadOf: root._id }] },
    ])
    const reacted = await carol.call('POST', `/messages/${first._id}/reaction`, { reaction: '👍' })
    assert.deepEqual([reacted.body.result.threadOf, reacted.body.result.reactionCount], [root._id, 1])
    const edit = { _id: first._id, message: 'haystack' }
    assert.equal((await bob.call('POST', `/rooms/${room}/message`, edit)).status, 200)
    await heard.next(
      'messageUpdated',
      ({ message, threadOf }: Message) => message === 'haystack' && threadOf === root._id,
    )
    assert.deepEqual([await find('needle'), (await find('haystack'))[0].threadMessages.length], [[], 1])
    const pinned = await alice.call('POST', `/messages/${first._id}/pin`)
    assert.equal(pinned.body.result.pinned, true)
    await bob.call('POST', `/rooms/${room}/message`, { _id: first._id, messageType: 'recall' })
    assert.deepEqual([(await thread(alice, root)).root.lastThreadMessage?.text, await find('haystack')], ['', []])
  })

  test('is emptied with its room, and continues after', async () => {
    const sinceMS = Date.now()
    const room = await newRoom()
    const root = await send(room, 'alice', 'secret root')
    for (const text of ['secret 1', 'secret 2']) await inThread(room, 'bob', root, text)
    assert.equal((await alice.call('DELETE', `/rooms/${room}/messages/_all`)).status, 200)
    const shown = await thread(alice, root)
    assert.deepEqual([shown.unread, shown.totalCount], [0, 2])
    assert.doesNotMatch(JSON.stringify([shown, await history(room)]), /secret/)
    const [first] = shown.data
    assert.ok(first?.isDeleted)
    refused(await post(room, 'bob', 'x', { replyTo: first._id }), 404, 'MESSAGE_NOT_FOUND')

    const { db } = gateway.chat
    // The background work, after the deleting request had time to publish.
    await db.rooms.updateOne({ _id: key(gateway.app, room) }, { $set: { 'erasing.leaseUntilMS': 0 } })
    while (await eraseNextRoom(gateway.chat, new AbortController().signal)) continue
    const docs = await findAllMessages(db, { app: gateway.app, room })
    assert.doesNotMatch(JSON.stringify(docs), /secret/)
    assert.equal(await db.searchTexts.countDocuments({ roomKey: key(gateway.app, room) }), 0)
    const afterwards = await send(room, 'alice', 'new root')
    await inThread(room, 'bob', afterwards, 'new secret')
    assert.equal((await thread(alice, afterwards)).unread, 1)
    // Only the thread has something new since then: it is deleted all the same.
    await alice.call('DELETE', `/rooms/${room}/messages/_all`)
    const next = await send(room, 'alice', 'next root')
    const kept = await inThread(room, 'bob', next, 'kept')
    await alice.call('DELETE', `/rooms/${room}/messages/${next._id}`)
    await send(room, 'carol', 'kept too', { replyTo: kept._id })
    assert.deepEqual(await unread(next), [2, 1, 0])
    assert.equal((await thread(alice, afterwards)).unread, 0)

    const heard = await gateway.hear()
    await rebuildSince(gateway.chat, sinceMS, () => undefined)
    await heard.next('thread message', ({ _id }: Message) => _id === kept._id)
    const again = heard.events.filter(({ to }) => 'room' in to && to.room === room)
    assert.doesNotMatch(JSON.stringify(again), /secret/)
    const named = again.filter(({ event }) => event === 'chat message').map(({ payload }) => payload as Message)
    assert.deepEqual(
      named.filter(({ threadOf }) => threadOf !== undefined),
      [],
    )
  })

  test('applies the slow mode of its room', async () => {
    const room = await gateway.newRoom([alice, bob], { owner: 'alice' })
    const root = await send(room, 'alice', 'root')
    await alice.call('PUT', `/rooms/${room}`, { slowModeS: 3_600 })
    const reply = { message: 'x', messageType: 'text', replyTo: root._id, thread: true }
    const write = (user: TestUser) => user.call('POST', `/rooms/${room}/message`, reply)
    assert.equal((await write(bob)).status, 200)
    refused(await write(bob), 429, 'SLOW_MODE')
    assert.deepEqual([(await write(alice)).status, (await write(alice)).status], [200, 200])
    assert.equal((await inThread(room, 'bob', root)).seq, 4)
  })

  test('loses users who are erased', async () => {
    const dave = await gateway.newUser('dave')
    const room = await gateway.newRoom([alice, dave])
    const root = await send(room, 'dave', 'root')
    await inThread(room, 'alice', root)
    const { db } = gateway.chat
    const userKey = key(gateway.app, 'dave')
    assert.equal(await db.threadMembers.countDocuments({ userKey }), 1)
    assert.equal((await gateway.admin('DELETE', '/admin/clients/dave')).status, 200)
    assert.equal(await db.threadMembers.countDocuments({ userKey }), 0)
    assert.equal((await inThread(room, 'alice', root)).seq, 2)
    assert.deepEqual((await thread(alice, root)).root.threadParticipants, ['dave', 'alice'])
  })
})
