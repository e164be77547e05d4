import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { listRooms } from '@parley/contracts/operations/rooms/rooms'
import { room as roomShape } from '@parley/contracts/resources/room'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { refused } from '../../test-refused.ts'
import { setStored } from '../../test-stored.ts'

let gateway: TestGateway
let alice: TestUser
let bob: TestUser

beforeAll(async () => {
  ;({ gateway, alice, bob } = await startWithAliceAndBob({ nickname: 'Alice' }))
})
afterAll(() => gateway.stop())

const create = (body: object, by = gateway) => by.admin('POST', '/rooms/', body)
const send = (room: string, by: TestUser) =>
  by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })

describe('POST /rooms/', () => {
  test('returns _id, roomType, members, status 1 and createdTimeMS, and emits room to the members', async () => {
    proves('POST /rooms/', 'body.roomType', 'body.members', 'body.name', 'roomType group', 'result._id')
    proves('POST /rooms/', 'result.roomType', 'result.members', 'result.status 1', 'result.createdTimeMS')
    const heard = await gateway.hear()
    const { status, body } = await create({ roomType: 'group', members: ['alice', 'bob', 'alice'], name: 'Two' })
    assert.equal(status, 200)
    assert.equal(body.RC, 0)
    const { _id, id, createdTimeMS, members, ...rest } = body.result
    assert.equal(_id, id)
    assert.ok(Math.abs(createdTimeMS - Date.now()) < 60_000)
    assert.partialDeepStrictEqual(rest, { roomType: 'group', status: 1, name: 'Two', memberCount: 2 })
    assert.deepEqual(
      members.map((member: { _id: string; nickname: string }) => [member._id, member.nickname]),
      [
        ['alice', 'Alice'],
        ['bob', ''],
      ],
    )
    const { payload, to } = await heard.next('room')
    assert.deepEqual([payload, to], [body.result, { app: gateway.app, room: _id }])
  })

  test('roomType direct returns a room with both members', async () => {
    proves('POST /rooms/', 'roomType direct')
    const { status, body } = await create({ roomType: 'direct', members: ['alice', 'bob'] })
    assert.equal(status, 200)
    const { roomType, members } = body.result
    assert.deepEqual([roomType, members.map(({ _id }: { _id: string }) => _id)], ['direct', ['alice', 'bob']])
  })

  test('works without the trailing slash', async () => {
    assert.equal((await gateway.admin('POST', '/rooms', { roomType: 'group', members: ['bob'] })).status, 200)
  })

  test('a pair has one direct room, in either order, also when created 50 times at once over two gateways', async () => {
    const [one, two] = [await gateway.newUser(), await gateway.newUser()]
    const other = await gateway.another()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        const members = i % 3 ? [one.id, two.id] : [two.id, one.id]
        return create({ roomType: 'direct', members }, i % 2 ? gateway : other)
      }),
    )
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body))
    assert.equal(new Set(answers.map(({ body }) => body.result._id)).size, 1)
    const { body } = await one.call('GET', '/rooms')
    assert.deepEqual([body.result.totalCount, body.result.data[0].memberCount], [1, 2])
    await other.stop()
  })

  test('an _id created 50 times at once is one room; the other calls return it unchanged', async () => {
    const other = await gateway.another()
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        create({ _id: 'once', roomType: 'group', members: ['alice'], name: `name ${i}` }, i % 2 ? gateway : other),
      ),
    )
    const names = new Set(answers.map(({ body }) => body.result.name))
    assert.equal(names.size, 1)
    await other.stop()
  })

  test('unknown members are 404 CLIENT_NOT_FOUND naming them, and nothing is created', async () => {
    const before = await gateway.chat.db.rooms.countDocuments()
    const answer = await create({ _id: 'not made', roomType: 'group', members: ['alice', 'nobody', 'none'] })
    refused(answer, 404, 'CLIENT_NOT_FOUND', /nobody.*none/)
    assert.equal(await gateway.chat.db.rooms.countDocuments(), before)
  })

  test('bad bodies', async () => {
    const members = ['alice', 'bob']
    refused(await create({ members }), 400, 'MISSING_PARAMETER', /roomType/)
    refused(await create({ roomType: 'group' }), 400, 'MISSING_PARAMETER', /members/)
    refused(await create({ roomType: 'group', members: [] }), 400, 'INVALID_REQUEST', /members/)
    refused(await create({ roomType: 'group', members: 'alice' }), 400, 'INVALID_REQUEST', /members/)
    refused(await create({ roomType: 'crowd', members }), 400, 'INVALID_REQUEST', /roomType/)
    refused(await create({ roomType: 'direct', members: ['alice'] }), 400, 'INVALID_REQUEST', /two/)
    refused(await create({ roomType: 'direct', members: ['alice', 'alice'] }), 400, 'INVALID_REQUEST', /two/)
    refused(await create({ roomType: 'group', members, owner: 'carl' }), 400, 'INVALID_REQUEST', /owner/)
    refused(await create({ roomType: 'group', members, name: 5 }), 400, 'INVALID_REQUEST', /name/)
    const wrong = await gateway.anonymous('POST', '/rooms/', { roomType: 'group', members }, { 'im-api-key': 'x' })
    refused(wrong, 401, 'INVALID_API_KEY')
  })
})

describe('GET /rooms', () => {
  let me: TestUser
  const ids: Record<string, string> = {}
  const names = async (query: Record<string, unknown> = {}) => {
    const asText = Object.entries(query).map(([name, value]) => [name, String(value)])
    const { status, body } = await me.call(
      'GET',
      `/rooms?${new URLSearchParams(Object.fromEntries(asText)).toString()}`,
    )
    assert.equal(status, 200, JSON.stringify(body))
    return body.result.data.map(({ name }: { name: string }) => name).join(' ')
  }

  beforeAll(async () => {
    me = await gateway.newUser('me')
    for (const name of ['c', 'a', 'd', 'b']) ids[name] = await gateway.newRoom([me, bob], { name })
    for (const name of ['d', 'a', 'b']) await send(String(ids[name]), name === 'a' ? me : bob)
    await me.call('POST', `/roomPrefs/${ids['c']}`, { tags: ['work', 'home'], sticky: true })
    await me.call('POST', `/roomPrefs/${ids['d']}`, { tags: ['work'], folder: 'f' })
  })

  test('returns totalCount, data with unread, muted, pref and lastMessage, and inspect; the latest message first', async () => {
    proves('GET /rooms', 'result.totalCount', 'result.data', 'result.inspect', 'result.inspect.query')
    proves('GET /rooms', 'result.inspect.tookMS')
    const { body } = await me.call('GET', '/rooms')
    const { totalCount, data, inspect } = body.result
    assert.equal(totalCount, 4)
    assert.deepEqual(
      data.map((room: { name: string; unread: number }) => [room.name, room.unread]),
      [
        ['b', 1],
        ['a', 0],
        ['d', 1],
        ['c', 0],
      ],
    )
    assert.partialDeepStrictEqual(data[0], { muted: false, lastMessage: { sender: { _id: 'bob' }, message: 'x' } })
    assert.equal('lastMessage' in data[3], false)
    assert.deepEqual(data[3].pref.tags, ['work', 'home'])
    assert.deepEqual(Object.keys(inspect).toSorted(), ['query', 'tookMS'])
  })

  test('sorts by lastMessage, createdTime and name, several fields, in both directions', async () => {
    proves('GET /rooms', '?sort', 'sort by lastMessage', 'sort by createdTime', '- sorts descending')
    assert.equal(await names({ sort: 'lastMessage' }), 'c d a b')
    assert.equal(await names({ sort: '-createdTime' }), 'b d a c')
    assert.equal(await names({ sort: 'createdTime' }), 'c a d b')
    assert.equal(await names({ sort: 'name' }), 'a b c d')
    assert.equal(await names({ sort: '-name createdTime' }), 'd c b a')
  })

  test('the second sort field breaks ties of the first', async () => {
    proves('GET /rooms', 'sort by several fields')
    const carl = await gateway.newUser()
    for (const name of ['x', 'y', 'x']) await gateway.newRoom([carl], { name })
    const order = async (sort: string): Promise<[string, number][]> => {
      const { data } = (await carl.call('GET', `/rooms?sort=${encodeURIComponent(sort)}`)).body.result
      return data.map((room: { name: string; createdTimeMS: number }) => [room.name, room.createdTimeMS])
    }
    const [first, second, third] = await order('createdTime')
    assert.deepEqual(await order('name createdTime'), [first, third, second])
    assert.deepEqual(await order('name -createdTime'), [third, first, second])
  })

  test('sorts names naturally: regardless of case, and by the numbers in them', async () => {
    const dora = await gateway.newUser()
    for (const name of ['Zed', 'Room 10', 'abc', 'Éva', 'room 9', 'Eve']) await gateway.newRoom([dora], { name })
    const { data } = (await dora.call('GET', '/rooms?sort=name')).body.result
    const sorted = data.map(({ name }: { name: string }) => name)
    assert.deepEqual(sorted, ['abc', 'Éva', 'Eve', 'room 9', 'Room 10', 'Zed'])
  })

  test('sortUnreadFirst puts rooms with unread messages first, each part sorted', async () => {
    proves('GET /rooms', '?sortUnreadFirst')
    assert.equal(await names({ sortUnreadFirst: 1 }), 'b d a c')
    assert.equal(await names({ sortUnreadFirst: 1, sort: 'name' }), 'b d a c')
    assert.equal(await names({ sortUnreadFirst: 0, sort: 'name' }), 'a b c d')
  })

  test('skip and limit apply; limit 0 is no limit', async () => {
    proves('GET /rooms', '?skip', '?limit')
    assert.equal(await names({ sort: 'name', limit: 2 }), 'a b')
    assert.equal(await names({ sort: 'name', skip: 1, limit: 2 }), 'b c')
    assert.equal(await names({ sort: 'name', skip: 3, limit: 0 }), 'd')
    assert.equal(await names({ skip: 9 }), '')
  })

  test('without skip and limit it returns all rooms', async () => {
    proves('Limits', 'GET /rooms: skip is 0 by default', 'GET /rooms: limit is 0 by default, no limit')
    const dora = await gateway.newUser()
    const made = await Promise.all(Array.from({ length: 130 }, () => gateway.newRoom([dora])))
    const { totalCount, data } = (await dora.call('GET', '/rooms')).body.result
    assert.deepEqual(new Set(data.map(({ _id }: { _id: string }) => _id)), new Set(made))
    assert.deepEqual([totalCount, data.length], [130, 130])
  })

  test('updatedAfter includes rooms created after it without a message', async () => {
    proves('GET /rooms', 'updatedAfter: rooms created after it')
    const eve = await gateway.newUser()
    await gateway.newRoom([eve], { name: 'before' })
    const { createdTimeMS } = (await eve.call('GET', '/rooms')).body.result.data[0]
    // The next room gets a later millisecond.
    await vi.waitUntil(() => Date.now() > createdTimeMS, { interval: 1 })
    await gateway.newRoom([eve], { name: 'after' })
    const { data } = (await eve.call('GET', `/rooms?updatedAfter=${createdTimeMS}`)).body.result
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name),
      ['after'],
    )
  })

  test('updatedAfter takes ISO-8601 and milliseconds: rooms with new messages or created after it', async () => {
    proves('GET /rooms', '?updatedAfter', 'updatedAfter: rooms with new messages', 'updatedAfter as ISO-8601')
    proves('GET /rooms', 'updatedAfter as a millisecond epoch')
    const { body } = await me.call('GET', '/rooms?sort=lastMessage')
    const atMS = body.result.data[1].lastMessage.messageTimeMS
    assert.equal(await names({ updatedAfter: atMS, sort: 'name' }), 'a b')
    assert.equal(await names({ updatedAfter: new Date(atMS).toISOString(), sort: 'name' }), 'a b')
    assert.equal(await names({ updatedAfter: 0, sort: 'name' }), 'a b c d')
  })

  test("pref filters by the caller's preferences", async () => {
    proves('GET /rooms', '?pref')
    assert.equal(await names({ pref: JSON.stringify({ tags: 'work' }), sort: 'name' }), 'c d')
    assert.equal(await names({ pref: JSON.stringify({ tags: 'work', hidden: null }), sort: 'name' }), 'c d')
    assert.equal(await names({ pref: JSON.stringify({ tags: ['work', 'home'] }) }), 'c')
    assert.equal(await names({ pref: JSON.stringify({ sticky: false, folder: 'f' }) }), 'd')
  })

  test('a list of any length is complete and in order, with stored content; each Room matches the contract', async () => {
    const user = await gateway.newUser()
    const rooms: string[] = []
    for (let i = 0; i < 130; i++) rooms.push(await gateway.newRoom([alice, user], { name: `Room ${i}` }))
    const content = '{"n": 1.0, "__proto__": [12345678901234567890]}'
    await Promise.all(
      rooms.map((room) =>
        gateway.admin('POST', '/messages', { room, sender: 'alice', message: 'x'.repeat(30_000), messageType: 'text' }),
      ),
    )
    const { body } = await gateway.admin('POST', '/messages', {
      ...{ room: rooms[60], sender: 'alice', message: 'x', messageType: 'text' },
    })
    await gateway.chat.flusher.drained()
    await setStored(gateway.chat.db, body.result._id, { content })
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': user.token, 'im-client-id': user.id }
    const answer = await fetch(`${gateway.url}/rooms?sort=createdTime`, { headers })
    assert.deepEqual([answer.status, answer.headers.get('content-length')], [200, null])
    const text = await answer.text()
    assert.ok(text.includes(`"message":${content}`))
    const { result } = JSON.parse(text)
    const strict = listRooms.result.extend({ data: roomShape.strict().array() }).strict()
    assert.equal(strict.safeParse(result).error, undefined)
    assert.deepEqual(
      result.data.map(({ _id }: { _id: string }) => _id),
      rooms,
    )
    assert.equal(result.totalCount, 130)
    const one = (await user.call('GET', `/rooms/${rooms[60]}`)).body.result
    assert.equal(roomShape.strict().safeParse(one).error, undefined)
    assert.deepEqual(one, result.data[60])
  })

  test('returns only the caller’s rooms', async () => {
    assert.equal(
      (await alice.call('GET', '/rooms')).body.result.data.some(({ name }: { name: string }) => name === 'a'),
      false,
    )
  })

  test('bad parameters are 400 INVALID_QUERY naming them', async () => {
    const bad: [query: string, message: RegExp][] = [
      ['sort=age', /sort/],
      ['sort=constructor', /sort/],
      ['skip=-1', /skip/],
      ['limit=x', /limit/],
      ['updatedAfter=soon', /updatedAfter/],
      ['pref=%7B', /pref/],
      ['pref=%7B%22colour%22%3A1%7D', /pref/],
    ]
    for (const [query, message] of bad) refused(await me.call('GET', `/rooms?${query}`), 400, 'INVALID_QUERY', message)
  })

  test("IM-CLIENT-ID is required (400 MISSING_PARAMETER) and must be the token's user: else 401 INVALID_TOKEN", async () => {
    proves('GET /rooms', 'header IM-CLIENT-ID')
    proves('Client keys and user tokens', 'GET /rooms without IM-CLIENT-ID: 400')
    const headers = { 'im-client-key': gateway.clientKey, 'im-authorization': me.token }
    refused(await gateway.anonymous('GET', '/rooms', undefined, headers), 400, 'MISSING_PARAMETER')
    refused(
      await gateway.anonymous('GET', '/rooms', undefined, { ...headers, 'im-client-id': 'bob' }),
      401,
      'INVALID_TOKEN',
    )
    refused(await me.call('GET', '/rooms', undefined, { 'im-client-key': 'x' }), 401, 'INVALID_CLIENT_KEY')
  })
})
