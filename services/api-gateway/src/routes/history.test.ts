import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

interface Message {
  _id: string
  seq: number
  message: unknown
  updatedAtMS: number
  createdAtMS: number
}

suite('GET /rooms/{id}/messages/v3', () => {
  let gateway: TestGateway
  let other: TestGateway
  let alice: TestUser
  let bob: TestUser

  before(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    bob = await gateway.newUser('bob')
  })
  after(async () => {
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
  const ids = (messages: readonly Message[]) => messages.map(({ _id }) => _id)
  const refused = ({ status, body }: Answer, wanted: number, code: string, message = /./) => {
    assert.deepEqual([status, body.RC, body.error?.code], [wanted, wanted, code])
    assert.match(body.error.message, message)
  }

  /** From one end to the other; the time makes a cursor exact even when its message has moved. */
  async function walk(room: string, cursor: 'beforeMessage' | 'afterMessage', first: object, more: object) {
    const seen: Message[] = []
    for (let next = { ...first, ...more }; ; ) {
      const found = await page(room, next)
      seen.push(...found)
      const last = found.at(-1)
      if (!last) return seen
      const time = 'timeRangeField' in more ? last.createdAtMS : last.updatedAtMS
      next = { ...more, [cursor]: last._id, cursorTime: time }
    }
  }

  test('answers totalCount, data, userDeletedIDs and inspect; every field of a Message', async () => {
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
    const room = await gateway.newRoom([alice, bob])
    const sent = await sendMany(room, 25)
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
    test(`pages of ${limit} both ways and by each time field meet every message once`, async () => {
      const room = await gateway.newRoom([alice, bob])
      const sent = await sendMany(room, 21)
      const updated = [...sent.filter(({ seq }) => seq % 5 !== 0), ...sent.filter(({ seq }) => seq % 5 === 0)]
      for (const message of sent) if (message.seq % 5 === 0) await edit(room, message)
      const oldestFirst = await walk(room, 'afterMessage', { afterTime: 0 }, { limit })
      assert.deepEqual(ids(oldestFirst), ids(updated))
      assert.deepEqual(ids(await walk(room, 'beforeMessage', {}, { limit })), ids(updated.toReversed()))
      for (const timeRangeField of ['createdAt', 'messageTime']) {
        const by = { limit, timeRangeField }
        const byCreation = await walk(room, 'afterMessage', { afterTime: 0 }, by)
        assert.deepEqual(new Set(ids(byCreation)), new Set(ids(sent)))
        assert.equal(byCreation.length, 21)
        assert.deepEqual(ids(await walk(room, 'beforeMessage', {}, by)), ids(byCreation.toReversed()))
      }
    })
  }

  test('a walk to the end misses and repeats nothing while two gateways send and edit', async () => {
    const room = await gateway.newRoom([alice, bob])
    await sendMany(room, 30)
    const writing = { on: true, edits: 0 }
    const writers = [gateway, other].map(async (via, i) => {
      for (let n = 0; writing.on; n++) {
        const sent = await send(room, n, via)
        if ((n + i) % 3 === 0) writing.edits += Number((await edit(room, sent, via)).status === 200)
      }
    })
    const seen: Message[] = []
    let next: Record<string, string | number> = { afterTime: 0, limit: 3 }
    while (seen.length < 300 || writing.on) {
      const found = await page(room, next)
      seen.push(...found)
      const last = found.at(-1)
      if (last) next = { afterMessage: last._id, cursorTime: last.updatedAtMS, limit: seen.length < 150 ? 3 : 50 }
      if (seen.length >= 300 && writing.on) {
        writing.on = false
        await Promise.all(writers)
      }
      if (!last && !writing.on) break
    }
    for (let found = await page(room, next); found.length > 0; found = await page(room, next)) {
      seen.push(...found)
      next = { ...next, afterMessage: found.at(-1)?._id ?? '', cursorTime: found.at(-1)?.updatedAtMS ?? 0 }
    }
    assert.ok(writing.edits > 10)
    const places = seen.map(({ _id, updatedAtMS }) => `${updatedAtMS} ${_id}`)
    assert.equal(new Set(places).size, places.length, 'no place comes twice')
    assert.deepEqual(places, places.toSorted(), 'in order')
    const { totalCount } = (await get(room)).body.result
    const latest = new Map(seen.map((message) => [message._id, message]))
    assert.equal(latest.size, totalCount, 'every message was met')
    const all = await walk(room, 'beforeMessage', {}, { limit: 500 })
    for (const { _id, updatedAtMS } of all) assert.equal(latest.get(_id)?.updatedAtMS, updatedAtMS, 'in its last state')
  })

  test('a walk back to the beginning misses and repeats nothing while two gateways send', async () => {
    const room = await gateway.newRoom([alice, bob])
    const sent = await sendMany(room, 40)
    const [first] = await page(room, { limit: 1 })
    const writing = { on: true }
    const writers = [gateway, other].map(async (via) => {
      while (writing.on) await send(room, 'later', via)
    })
    const seen = await walk(room, 'beforeMessage', { beforeMessage: first?._id }, { limit: 3 })
    writing.on = false
    await Promise.all(writers)
    assert.deepEqual(ids(seen), ids(sent.slice(0, -1).toReversed()))
  })

  test('cursorTime holds a place whose message has moved since; without it the place is where the message is now', async () => {
    const room = await gateway.newRoom([alice, bob])
    const [one, two, three] = (await sendMany(room, 3)) as [Message, Message, Message]
    await edit(room, one)
    const exact = { afterMessage: one._id, cursorTime: one.updatedAtMS }
    assert.deepEqual(ids(await page(room, exact)), ids([two, three, one]))
    assert.deepEqual(await page(room, { afterMessage: one._id }), [])
    const iso = { beforeMessage: three._id, cursorTime: new Date(three.updatedAtMS).toISOString() }
    assert.deepEqual(ids(await page(room, iso)), ids([two]))
  })

  test('afterTime takes ISO-8601 and milliseconds and is exclusive; timeRangeField chooses the time', async () => {
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

  test('bad queries are 400 INVALID_QUERY naming the parameter', async () => {
    const room = await gateway.newRoom([alice, bob])
    const { _id } = await send(room)
    const bad: Record<string, string>[] = [
      { limit: '0' },
      { limit: '501' },
      { limit: 'x' },
      { limit: '1.5' },
      { afterTime: 'yesterday' },
      { afterTime: '' },
      { timeRangeField: 'readAt' },
      { cursorTime: 'x', afterMessage: _id },
    ]
    for (const query of bad) {
      refused(await get(room, query), 400, 'INVALID_QUERY', new RegExp(Object.keys(query)[0] ?? ''))
    }
    refused(await get(room, { beforeMessage: _id, afterMessage: _id }), 400, 'INVALID_QUERY')
    refused(await get(room, { beforeMessage: _id, afterTime: '0' }), 400, 'INVALID_QUERY')
  })

  test('an unknown cursor is 404 MESSAGE_NOT_FOUND, an unknown room 404, a stranger 403, a bad token 401', async () => {
    const room = await gateway.newRoom([alice, bob])
    const elsewhere = await send(await gateway.newRoom([alice]))
    refused(await get(room, { afterMessage: elsewhere._id }), 404, 'MESSAGE_NOT_FOUND')
    refused(await get(room, { beforeMessage: 'none' }), 404, 'MESSAGE_NOT_FOUND')
    refused(await get('none'), 404, 'ROOM_NOT_FOUND')
    refused(await get(room, {}, await gateway.newUser()), 403, 'NOT_ROOM_MEMBER')
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': 'wrong' }
    refused(await gateway.anonymous('GET', `/rooms/${room}/messages/v3`, undefined, headers), 401, 'INVALID_TOKEN')
  })
})
