import assert from 'node:assert/strict'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { sendMessage } from '@parley/chat/send/send-message'
import { proves } from '@parley/conformance/proves'
import { listMessages } from '@parley/contracts/operations/messages/messages'
import { message as messageShape } from '@parley/contracts/resources/message'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { newId } from '@parley/db/messages/messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'
import { setStored } from '../../test-stored.ts'

interface Message {
  _id: string
  seq: number
  message: unknown
  updatedAtMS: number
  createdAtMS: number
  isDeleted: boolean
}

describe('GET /rooms/{id}/messages/v3', () => {
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let bob: TestUser

  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    bob = await gateway.newUser('bob')
  })
  afterAll(async () => {
    await other.stop()
    await gateway.stop()
  })

  const send = async (room: string, message: unknown = 'x', via = gateway): Promise<Message> =>
    (await via.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text' })).body.result
  const sendMany = async (room: string, count: number): Promise<Message[]> => {
    const sent = await Promise.all(Array.from({ length: count }, (_, i) => send(room, i, i % 2 ? gateway : other)))
    return sent.toSorted((a, b) => a.seq - b.seq)
  }
  const edit = (room: string, { _id }: Message, via = gateway) =>
    via.admin('POST', `/rooms/${room}/message`, { _id, sender: 'alice', message: 'edited' })
  const get = (room: string, query: Record<string, string | number> = {}, user = bob) =>
    user.call('GET', `/rooms/${encodeURIComponent(room)}/messages/v3?${new URLSearchParams(query as {}).toString()}`)
  const page = async (room: string, query: Record<string, string | number> = {}): Promise<Message[]> =>
    (await get(room, query)).body.result.data
  const ids = (messages: readonly { _id: string }[]) => messages.map(({ _id }) => _id)
  type Order = 'updatedAtMS' | 'createdAtMS'
  const timeRangeField = (order: Order) => ({ timeRangeField: order === 'createdAtMS' ? 'createdAt' : 'updatedAt' })

  /** From the oldest to the latest, by the time of the last element. */
  async function walkForward(room: string, limit: number, order: Order = 'updatedAtMS'): Promise<Message[]> {
    const seen: Message[] = []
    for (let afterTime = 0; ; afterTime = seen.at(-1)?.[order] ?? 0) {
      const found = await page(room, { afterTime, limit, ...timeRangeField(order) })
      if (found.length === 0) return seen
      seen.push(...found)
    }
  }

  /** By the last element, from a message on, or from the latest to the oldest. */
  async function walkByMessage(
    room: string,
    limit: number,
    cursor: 'beforeMessage' | 'afterMessage',
    from: { _id?: string | undefined } = {},
    order: Order = 'updatedAtMS',
  ): Promise<Message[]> {
    const seen: Message[] = []
    for (let last = from; ; last = seen.at(-1) ?? last) {
      const start = last._id === undefined ? {} : { [cursor]: last._id }
      const found = await page(room, { ...start, limit, ...timeRangeField(order) })
      if (found.length === 0) return seen
      seen.push(...found)
    }
  }

  test('applies beforeMessage, afterMessage and afterTime together: descending with beforeMessage, else ascending', async () => {
    const room = await gateway.newRoom([alice, bob])
    const sent: Message[] = []
    for (let i = 0; i < 12; i++) {
      await send(room, i)
      const [last] = await page(room, { limit: 1 })
      if (last) sent.push(last)
    }
    const ids = (some: Message[]) => some.map(({ _id }) => _id)
    const [id, time] = [(i: number) => sent[i]?._id, (i: number) => sent[i]?.updatedAtMS]
    for (const limit of [3, 100]) {
      const shown = async (query: Record<string, unknown>) => ids(await page(room, { ...query, limit }))
      const between = (from: number, to: number) => ids(sent.slice(from + 1, to))
      const [up, down] = [between(2, 12), between(2, 9).toReversed()]
      assert.deepEqual(await shown({ beforeMessage: id(9), afterMessage: id(2) }), down.slice(0, limit))
      assert.deepEqual(await shown({ beforeMessage: id(9), afterTime: time(2) }), down.slice(0, limit))
      assert.deepEqual(
        await shown({ beforeMessage: id(9), afterMessage: id(1), afterTime: time(2) }),
        down.slice(0, limit),
      )
      assert.deepEqual(
        await shown({ beforeMessage: id(9), afterMessage: id(2), afterTime: time(1) }),
        down.slice(0, limit),
      )
      assert.deepEqual(await shown({ afterMessage: id(2), afterTime: time(1) }), up.slice(0, limit))
      assert.deepEqual(await shown({ afterMessage: id(1), afterTime: time(2) }), up.slice(0, limit))
      assert.deepEqual(await shown({ beforeMessage: id(2), afterMessage: id(9) }), [])
      assert.deepEqual(await shown({ beforeMessage: id(2), afterMessage: id(1) }), [])
    }
  })

  test('returns totalCount, data, userDeletedIDs and inspect; data has every field of a Message', async () => {
    proves('GET /rooms/{id}/messages/v3', 'result.totalCount', 'result.data', 'result.inspect', 'result.inspect.query')
    proves('GET /rooms/{id}/messages/v3', 'result.inspect.tookMS')
    proves('Message', '_id', 'id', 'message', 'room', 'messageType', 'appID', 'messageTime', 'messageTimeMS')
    proves('Message', 'updatedAtMS', 'createdAtMS', 'reactions', 'reactionCount', 'isDeleted', 'sender')
    proves('Sender', '_id', 'id', 'nickname', 'description', 'avatarUrl', 'isRobot', 'lastLoginTimeMS')
    const room = await gateway.newRoom([alice, bob])
    const { _id } = await send(room, { any: ['JSON', null] })
    const { body } = await get(room)
    assert.deepEqual(Object.keys(body).toSorted(), ['RC', 'RM', 'result'])
    const { totalCount, data, userDeletedIDs, inspect } = body.result
    assert.deepEqual([totalCount, data.length, userDeletedIDs], [1, 1, []])
    assert.equal(typeof inspect.tookMS, 'number')
    assert.equal(inspect.query.room, room)
    const [{ messageTime, messageTimeMS, updatedAtMS, createdAtMS, sender, ...rest }] = data
    assert.deepEqual(rest, {
      _id,
      id: _id,
      message: { any: ['JSON', null] },
      room,
      messageType: 'text',
      appID: gateway.app,
      reactions: [],
      reactionCount: 0,
      isDeleted: false,
      seq: 1,
    })
    assert.deepEqual(sender, {
      _id: 'alice',
      id: 'alice',
      nickname: 'Alice',
      description: '',
      avatarUrl: '',
      isRobot: false,
      lastLoginTimeMS: 0,
    })
    assert.equal(Date.parse(messageTime), messageTimeMS)
    assert.deepEqual([updatedAtMS, createdAtMS], [messageTimeMS, messageTimeMS])
  })

  test('is sorted by updated time, latest first, 20 by default, 1 to 500', async () => {
    proves('GET /rooms/{id}/messages/v3', 'sorted by update time, latest first', '?limit')
    proves('Limits', 'GET /rooms/{id}/messages/v3: limit is 20 by default')
    const room = await gateway.newRoom([alice, bob])
    const sent: Message[] = []
    for (let i = 0; i < 25; i++) sent.push(await send(room, i))
    assert.deepEqual(ids(await page(room)), ids(sent.toReversed().slice(0, 20)))
    assert.deepEqual(ids(await page(room, { limit: 1 })), ids(sent.slice(-1)))
    assert.equal((await page(room, { limit: 500 })).length, 25)
    const first = sent[0] as Message
    await edit(room, first)
    assert.equal((await page(room, { limit: 1 }))[0]?._id, first._id)
  })

  test('an empty room has an empty page', async () => {
    const room = await gateway.newRoom([alice, bob])
    assert.partialDeepStrictEqual((await get(room)).body.result, { totalCount: 0, data: [], userDeletedIDs: [] })
    assert.deepEqual(await page(room, { afterTime: 0 }), [])
  })

  for (const limit of [1, 3, 7, 100]) {
    test(`pages of ${limit} both ways and by each time field return every message once`, async () => {
      proves('GET /rooms/{id}/messages/v3', '?beforeMessage', '?afterMessage')
      const room = await gateway.newRoom([alice, bob])
      const sent = await sendMany(room, 21)
      const updated = [...sent.filter(({ seq }) => seq % 5 !== 0), ...sent.filter(({ seq }) => seq % 5 === 0)]
      for (const message of sent) if (message.seq % 5 === 0) await edit(room, message)
      assert.deepEqual(ids(await walkForward(room, limit)), ids(updated))
      assert.deepEqual(ids(await walkByMessage(room, limit, 'afterMessage', updated[0])), ids(updated.slice(1)))
      assert.deepEqual(ids(await walkByMessage(room, limit, 'beforeMessage')), ids(updated.toReversed()))
      assert.deepEqual(ids(await walkForward(room, limit, 'createdAtMS')), ids(sent))
      const back = await walkByMessage(room, limit, 'beforeMessage', {}, 'createdAtMS')
      assert.deepEqual(ids(back), ids(sent.toReversed()))
    })
  }

  /** Sends at once, without HTTP, so that the messages are written together. */
  const sendAtOnce = (room: string, count: number, message: unknown = 'x') => {
    const draft = { app: gateway.app, room, sender: 'alice', message, messageType: 'text', push: false }
    return Promise.all(Array.from({ length: count }, (_, i) => sendMessage(i % 2 ? gateway.chat : other.chat, draft)))
  }
  const perTime = async (room: string, order: Order): Promise<number[]> => {
    await Promise.all([gateway, other].map(({ chat }) => chat.flusher.drained()))
    const all = await findAllMessages(gateway.chat.db, { roomKey: key(gateway.app, room) })
    const byTime = Map.groupBy(all, (message) => message[order])
    return [...byTime].toSorted(([a], [b]) => a - b).map(([, own]) => own.length)
  }
  const clockOf = async (room: string) =>
    (await gateway.chat.db.rooms.findOne({ _id: key(gateway.app, room) }))?.clockMS ?? Number.NaN

  test('at most 100 messages share a time, pages never split them, and times are not ahead of the clock', async () => {
    const room = await gateway.newRoom([alice, bob])
    const sent = await sendAtOnce(room, 1_000)
    assert.ok((await clockOf(room)) <= Date.now())
    const counts = await perTime(room, 'createdAtMS')
    assert.ok(Math.max(...counts) <= 100)
    assert.ok(Math.max(...counts) > 7, 'some came together')
    for (const limit of [7, 150, 500]) {
      for (const order of ['updatedAtMS', 'createdAtMS'] as const) {
        const seen = await walkForward(room, limit, order)
        assert.equal(seen.length, sent.length)
        assert.equal(new Set(ids(seen)).size, sent.length)
      }
      const back = await walkByMessage(room, limit, 'beforeMessage')
      assert.deepEqual(new Set(ids(back)), new Set(ids(sent)))
      assert.equal(back.length, sent.length)
      assert.equal((await page(room, { limit })).length, limit)
      assert.equal((await page(room, { limit, afterMessage: back.at(-1)?._id ?? '' })).length, limit)
      const times = (await page(room, { limit, afterTime: 0 })).map(({ updatedAtMS }) => updatedAtMS)
      assert.ok(times.length >= limit && times.length < limit + 100)
      assert.ok(times.indexOf(times.at(-1) ?? 0) < limit, 'a page goes beyond its limit by one time only')
    }
  })

  test('at most 100 stubs of _all share a time, and times are not ahead of the clock', async () => {
    const room = await gateway.newRoom([alice, bob])
    await sendAtOnce(room, 350)
    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    const roomKey = key(gateway.app, room)
    await gateway.chat.db.rooms.updateOne({ _id: roomKey }, { $set: { 'erasing.leaseUntilMS': 0 } })
    while (await eraseNextRoom(gateway.chat, new AbortController().signal)) continue
    assert.ok((await clockOf(room)) <= Date.now())
    assert.deepEqual(await perTime(room, 'updatedAtMS'), [100, 100, 100, 50])
    const seen = await walkForward(room, 30)
    assert.equal(new Set(ids(seen)).size, 350)
    assert.ok(seen.every(({ isDeleted }) => isDeleted))
  })

  test('a page of maximum-size messages with the most reactions can be read', async () => {
    const room = await gateway.newRoom([alice, bob])
    const { db } = gateway.chat
    const roomKey = key(gateway.app, room)
    const reactions = Array.from({ length: 500 }, (_, i) => ({
      client: `${i} ${'ü'.repeat(250)}`,
      reaction: '🙂'.repeat(30),
    }))
    const count = 60
    const messages = Array.from({ length: count }, (_, i) => ({
      _id: newId(),
      ...{ app: gateway.app, room, roomKey, seq: i + 1, sender: 'alice', messageType: 'text', reactions },
      ...{ content: '"x"', createdAtMS: i + 1, updatedAtMS: i + 1 },
    }))
    await db.messages.insertMany(messages)
    const lastMessageID = messages.at(-1)?._id ?? ''
    await db.rooms.updateOne({ _id: roomKey }, { $set: { seq: count, clockMS: count, lastMessageID } })
    await db.userDeletions.insertOne({
      ...{ _id: key(gateway.app, room, 'bob', lastMessageID), roomKey, user: 'bob', message: lastMessageID },
      ...{ seq: count, sender: 'alice', deletedAtMS: 1 },
    })
    assert.ok(Buffer.byteLength(JSON.stringify(messages)) > 16 * 1024 * 1024)
    const { status, body } = await get(room, { limit: 100 })
    assert.equal(status, 200)
    const latest = messages.toReversed().slice(0, body.result.data.length)
    assert.deepEqual(ids(body.result.data), ids(latest))
    assert.ok(latest.length > 8)
    assert.equal(body.result.data[0].sender.nickname, 'Alice')
    assert.deepEqual(body.result.userDeletedIDs, [lastMessageID])
  })

  test('a page holds at most 4 MiB of JSON, with senders; only an empty page is the end', async () => {
    const room = await gateway.newRoom([alice, bob])
    const sent = await sendAtOnce(room, 150, '語'.repeat(20_000))
    assert.ok(Math.max(...(await perTime(room, 'createdAtMS'))) < 20, 'a time has 1 MiB at most')
    const sizes = []
    const seen: Message[] = []
    for (let afterTime = 0; ; afterTime = seen.at(-1)?.updatedAtMS ?? 0) {
      const found = await page(room, { afterTime, limit: 500 })
      if (found.length === 0) break
      sizes.push(Buffer.byteLength(JSON.stringify(found)))
      seen.push(...found)
    }
    assert.ok(Math.max(...sizes) <= 4 * 1024 * 1024 + 2, sizes.join(' '))
    assert.ok(sizes.length < 5, 'pages are full')
    assert.deepEqual(new Set(ids(seen)), new Set(ids(sent)))
    assert.equal((await walkByMessage(room, 500, 'beforeMessage')).length, 150)
  })

  test('content is the stored text; the response matches the contract', async () => {
    const room = await gateway.newRoom([alice, bob])
    const { _id } = await send(room)
    const content = '{"n": 1.0, "__proto__": [12345678901234567890], "constructor": "\\u00e9"}'
    await gateway.chat.flusher.drained()
    await setStored(gateway.chat.db, _id, { content })
    await send(room, null)
    const deleted = await send(room)
    await gateway.admin('DELETE', `/rooms/${room}/messages/${deleted._id}`)
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': bob.token }
    const answer = await fetch(`${gateway.url}/rooms/${room}/messages/v3`, { headers })
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    const text = await answer.text()
    assert.ok(text.includes(`"message":${content}`), text)
    const { RC, RM, result } = JSON.parse(text)
    assert.deepEqual([RC, RM], [0, 'OK'])
    const strict = listMessages.result.extend({ data: messageShape.strict().array() }).strict()
    assert.deepEqual(Object.keys(strict.parse(result)).toSorted(), Object.keys(result).toSorted())
    assert.deepEqual(
      result.data.map((shown: object) => 'message' in shown),
      [false, true, true],
    )
  })

  test('paging back to the beginning misses and repeats nothing while two gateways send', async () => {
    const room = await gateway.newRoom([alice, bob])
    const sent = await sendMany(room, 40)
    const [first] = await page(room, { limit: 1 })
    const writing = { on: true }
    const writers = [gateway, other].map(async (via) => {
      while (writing.on) await send(room, 'later', via)
    })
    const seen = await walkByMessage(room, 3, 'beforeMessage', first)
    writing.on = false
    await Promise.all(writers)
    assert.deepEqual(ids(seen), ids(sent.slice(0, -1).toReversed()))
  })

  test('afterMessage uses the current time of its message', async () => {
    const room = await gateway.newRoom([alice, bob])
    const [one, two, three] = [await send(room), await send(room), await send(room)]
    await edit(room, one)
    assert.deepEqual(await page(room, { afterMessage: one._id }), [])
    assert.deepEqual(ids(await page(room, { beforeMessage: one._id })), ids([three, two]))
    assert.deepEqual(ids(await page(room, { afterTime: one.updatedAtMS })), ids([two, three, one]))
  })

  test('afterTime takes ISO-8601 and milliseconds and is exclusive; timeRangeField chooses the time', async () => {
    proves('GET /rooms/{id}/messages/v3', '?afterTime', 'afterTime as an ISO-8601 string')
    proves('GET /rooms/{id}/messages/v3', 'afterTime as a millisecond timestamp', '?timeRangeField')
    proves('GET /rooms/{id}/messages/v3', 'timeRangeField is updatedAt by default', 'timeRangeField createdAt')
    proves('GET /rooms/{id}/messages/v3', 'timeRangeField messageTime')
    const room = await gateway.newRoom([alice, bob])
    const [one, two] = [await send(room), await send(room)]
    await edit(room, one)
    assert.deepEqual(ids(await page(room, { afterTime: two.updatedAtMS })), [one._id])
    assert.deepEqual(ids(await page(room, { afterTime: new Date(two.updatedAtMS).toISOString() })), [one._id])
    assert.deepEqual(ids(await page(room, { afterTime: two.updatedAtMS - 1 })), ids([two, one]))
    for (const timeRangeField of ['createdAt', 'messageTime']) {
      assert.deepEqual(ids(await page(room, { afterTime: one.createdAtMS, timeRangeField })), [two._id])
    }
  })

  test('timeRangeField updatedAt is the default', async () => {
    proves('GET /rooms/{id}/messages/v3', 'timeRangeField updatedAt')
    const room = await gateway.newRoom([alice, bob])
    const [one, two] = [await send(room), await send(room)]
    await edit(room, one)
    assert.deepEqual(ids(await page(room, { timeRangeField: 'updatedAt' })), ids([one, two]))
    assert.deepEqual(ids(await page(room, { afterTime: two.updatedAtMS, timeRangeField: 'updatedAt' })), [one._id])
  })

  test('bad queries are 400 INVALID_QUERY naming the parameter', async () => {
    const room = await gateway.newRoom([alice, bob])
    const bad: Record<string, string>[] = [
      { limit: '0' },
      { limit: '-1' },
      { limit: 'x' },
      { limit: '1.5' },
      { afterTime: 'yesterday' },
      { timeRangeField: 'readAt' },
    ]
    for (const query of bad) {
      refused(await get(room, query), 400, 'INVALID_QUERY', new RegExp(Object.keys(query)[0] ?? ''))
    }
  })

  test('an unknown cursor is 404 MESSAGE_NOT_FOUND, an unknown room 404, a stranger 403, a bad token 401', async () => {
    proves('GET /rooms/{id}/messages/v3', '404 ROOM_NOT_FOUND', '403 NOT_ROOM_MEMBER', '401 INVALID_TOKEN')
    const room = await gateway.newRoom([alice, bob])
    const elsewhere = await send(await gateway.newRoom([alice]))
    refused(await get(room, { afterMessage: elsewhere._id }), 404, 'MESSAGE_NOT_FOUND', /^afterMessage: /)
    refused(await get(room, { beforeMessage: 'none' }), 404, 'MESSAGE_NOT_FOUND', /^beforeMessage: /)
    refused(await get('none'), 404, 'ROOM_NOT_FOUND')
    refused(await get(room, {}, await gateway.newUser()), 403, 'NOT_ROOM_MEMBER')
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': 'wrong' }
    refused(await gateway.anonymous('GET', `/rooms/${room}/messages/v3`, undefined, headers), 401, 'INVALID_TOKEN')
  })
})
