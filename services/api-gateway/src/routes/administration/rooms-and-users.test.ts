import assert from 'node:assert/strict'
import { listAllRooms } from '@parley/chat/admin/list-all-rooms'
import { key } from '@parley/db/keys'
import { recordTokenUse } from '@parley/db/users/tokens'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('an API key reads rooms, conversations and users of the app', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let ids: string[]
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
    room = await gateway.newRoom([alice, bob], {
      _id: 'support 1',
      name: 'Broken lamp',
      owner: 'alice',
      roomTags: ['support'],
    })
    ids = []
    for (const message of ['one', 'two', 'three']) {
      ids.push((await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })).body.result._id)
    }
    for (let i = 0; i < 5; i++) await gateway.newRoom([bob], { name: `quiet ${i}` })
  })
  afterAll(() => gateway.stop())

  const get = async (path: string) => {
    const { status, body } = await gateway.admin('GET', path)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result
  }
  const query = (q: object, more = '') => get(`/admin/rooms?q=${encodeURIComponent(JSON.stringify(q))}${more}`)

  test('GET /admin/rooms: filters room fields like /admin/clients, with exact totals', async () => {
    for (const [q, wanted] of [
      [{ _id: room }, 1],
      [{ name: { $regex: '^broken', $options: 'i' } }, 1],
      [{ roomTags: 'support' }, 1],
      [{ roomTags: { $in: ['sales'] } }, 0],
      [{ roomType: 'group', status: 1 }, 6],
      [{ memberCount: { $gte: 2 } }, 1],
      [{ lastMessageTime: { $gt: '2020-01-01T00:00:00Z' } }, 1],
      // Rooms without messages have no lastMessageTime.
      [{ lastMessageTime: { $lt: '2099-01-01T00:00:00Z', $gte: 0 } }, 1],
      [{ lastMessageTime: { $exists: true } }, 1],
      [{ lastMessageTime: { $exists: false } }, 5],
      [{ lastMessageTime: null }, 5],
      [{ lastMessageTime: { $nin: [null] } }, 1],
      [{ createdTime: { $lte: Date.now() }, $or: [{ name: 'quiet 1' }, { name: 'quiet 2' }] }, 2],
    ] as const) {
      const { totalCount, totalIsExact, data } = await query(q)
      assert.deepEqual([totalCount, totalIsExact, data.length], [wanted, true, wanted], JSON.stringify(q))
    }
    const [first] = (await query({ _id: room })).data
    assert.deepEqual([first.owner, first.memberCount, first.messageCount, first.members], ['alice', 2, 3, undefined])
    assert.ok(first.lastMessageTimeMS > 0)
    const byMembers = (await get('/admin/rooms?limit=1&sort=memberCount')).cursor
    for (const bad of [
      `cursor=${byMembers}`,
      `sort=createdTime&cursor=${byMembers}`,
      'q={"owner":"alice"}',
      'q={"$where":"1"}',
      'sort=owner',
      'cursor=x',
      'limit=0',
      'sort=-',
    ]) {
      const { status, body } = await gateway.admin('GET', `/admin/rooms?${bad}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'], bad)
    }
  })

  test('GET /admin/rooms: searches by prefix of the ID, then of the current name or a word in it', async () => {
    const other = await startTestGateway()
    const eve = await other.newUser('eve')
    const tower = await other.newRoom([eve], { name: 'Tour  Éiffel' })
    const named = await other.newRoom([eve], { name: 'Éclair, 东京分店', roomTags: ['sweet'] })
    const search = async (text: string, more = '') =>
      (await other.admin('GET', `/admin/rooms?search=${encodeURIComponent(text)}${more}`)).body.result
    const found = async (text: string, more?: string) =>
      (await search(text, more)).data.map(({ _id }: { _id: string }) => _id)
    assert.deepEqual(await found(tower), [tower])
    assert.deepEqual([await found('eif'), await found('TOUR E'), await found('iffel')], [[tower], [tower], []])
    assert.deepEqual([await found('京分'), await found(' ')], [[named], []])
    assert.deepEqual(await found('e'), [named, tower])
    assert.deepEqual(await found('e', `&q=${encodeURIComponent('{"roomTags":"sweet"}')}`), [named])
    const cut = await search('E', '&limit=1')
    assert.deepEqual([cut.data.length, cut.totalCount, cut.totalIsExact, cut.cursor], [1, 1, false, undefined])
    await other.admin('PUT', `/rooms/${tower}`, { name: 'Louvre' })
    assert.deepEqual([await found('eif'), await found('louv')], [[], [tower]])
    await other.admin('DELETE', `/rooms/${tower}`)
    assert.deepEqual([await found('louv'), await found(tower)], [[], []])
    for (const ignored of ['cursor=WzEsMl0', 'sort=name', 'sort=-lastMessageTime']) {
      const { status, body } = await other.admin('GET', `/admin/rooms?search=x&${ignored}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'])
      assert.match(body.error.message, new RegExp(`^${ignored.split('=')[0]}: not with search`))
    }
    await other.stop()
  })

  test('GET /admin/users: searches by prefix of the ID, then of the name or a word in it; otherwise pages, newest first', async () => {
    const data = [
      { _id: 'zoe', nickname: 'Alíce Müller' },
      { _id: 'alibi', nickname: 'Zed' },
      { _id: 'a/b', nickname: '' },
    ]
    await gateway.admin('POST', '/admin/clients/list', { data })
    const other = await startTestGateway()
    await other.newUser('aliens')
    const found = async (q: string) =>
      (await get(`/admin/users?q=${encodeURIComponent(q)}`)).data.map(({ _id }: { _id: string }) => _id)
    assert.deepEqual(await found('ali'), ['alibi', 'alice', 'zoe'])
    assert.deepEqual(await found('MUL'), ['zoe'])
    assert.deepEqual(await found('a/'), ['a/b'])
    assert.deepEqual([await found('ice'), await found(' ')], [[], []])
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await get(`/admin/users?limit=2${cursor}`)
      seen.push(...page.data.map(({ _id }: { _id: string }) => _id))
      cursor = page.cursor && `&cursor=${encodeURIComponent(page.cursor)}`
    } while (cursor)
    assert.deepEqual(seen.toSorted(), ['a/b', 'alibi', 'alice', 'bob', 'zoe'])
    assert.deepEqual(seen.slice(-2), ['bob', 'alice'])
    for (const bad of [
      'cursor=x',
      'limit=0',
      'q=a&cursor=1%20a',
      'q=a&list=robots',
      'q=a&list=created',
      'since=2&until=1',
      'q=a&since=1',
      'list=x',
      'since=x',
    ]) {
      const { status, body } = await gateway.admin('GET', `/admin/users?${bad}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'], bad)
    }
    await other.stop()
  })

  test('GET /admin/users: filters by last login, ban and robots, in pages', async () => {
    const own = await startTestGateway()
    const at = (n: number) => 1_700_000_000_000 + n
    const data = Array.from({ length: 5 }, (_, n) => ({ _id: `user${n}`, isRobot: n > 2 }))
    await own.admin('POST', '/admin/clients/list', { data })
    const { users } = own.chat.db
    for (const n of [0, 1, 2]) await users.updateMany({ id: `user${n}` }, { $set: { lastLoginTimeMS: at(n >> 1) } })
    for (const n of [1, 4]) await own.admin('POST', `/admin/clients/user${n}/ban`, {})
    const listed = async (query: string) => {
      const ids: string[] = []
      for (let cursor = ''; ; ) {
        const { status, body, text } = await own.admin('GET', `/admin/users?limit=1&${query}${cursor}`)
        assert.equal(status, 200, text)
        ids.push(...body.result.data.map(({ _id }: { _id: string }) => _id))
        if (body.result.cursor === undefined) return ids
        cursor = `&cursor=${encodeURIComponent(body.result.cursor)}`
      }
    }
    assert.deepEqual(await listed('list=lastLogin'), ['user2', 'user1', 'user0'])
    assert.deepEqual(await listed(`list=lastLogin&since=${at(1)}`), ['user2'])
    assert.deepEqual(await listed(`list=lastLogin&until=${at(0)}`), ['user1', 'user0'])
    assert.deepEqual(await listed('list=banned'), ['user4', 'user1'])
    assert.deepEqual((await listed('list=robots')).toSorted(), ['user3', 'user4'])
    assert.deepEqual(await listed('list=created&since=2100-01-01'), [])
    await own.stop()
  })

  test('every sort returns pages by cursor without gap or repeat, in both directions', async () => {
    const field = {
      createdTime: 'createdTimeMS',
      lastMessageTime: 'lastMessageTimeMS',
      name: 'name',
      memberCount: 'memberCount',
    }
    for (const [sort, shown] of Object.entries(field)) {
      for (const sign of ['', '-']) {
        const seen: { _id: string; [field: string]: string | number }[] = []
        let cursor: string | undefined
        do {
          const more = cursor === undefined ? '' : `&cursor=${cursor}`
          const page = await get(`/admin/rooms?limit=2&sort=${sign}${sort}${more}`)
          assert.ok(page.data.length <= 2 && page.totalCount === 6)
          seen.push(...page.data)
          cursor = page.cursor
        } while (cursor !== undefined)
        assert.equal(new Set(seen.map(({ _id }) => _id)).size, 6, sort)
        const values = seen.map((one) => one[shown] ?? 0)
        const inOrder = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
        assert.deepEqual(values, sign === '' ? inOrder : inOrder.toReversed(), sort)
      }
    }
  })

  test('totalCount stops at 10,000, with totalIsExact false', async () => {
    const { db } = gateway.chat
    const one = await db.rooms.findOne({ _id: key(gateway.app, room) })
    assert.ok(one)
    const app = 'another app'
    await db.rooms.insertMany(
      Array.from({ length: 10_002 }, (_, i) => ({ ...one, _id: key(app, `${i}`), app, id: `${i}` })),
    )
    const { totalCount, totalIsExact } = await listAllRooms(gateway.chat, app, { limit: 1, sort: 'name' })
    assert.deepEqual([totalCount, totalIsExact], [10_000, false])
    await db.rooms.deleteMany({ app })
  })

  test('GET /admin/rooms/{id}: all settings, webhook included, and the latest message', async () => {
    await gateway.admin('PUT', `/rooms/${encodeURIComponent(room)}`, { webhook: 'https://example.com/hook' })
    const shown = await get(`/admin/rooms/${encodeURIComponent(room)}`)
    assert.deepEqual(
      [shown.webhook, shown.lastMessage.message, shown.messageCount, shown.members.length],
      ['https://example.com/hook', 'three', 3, 2],
    )
    assert.equal((await gateway.admin('GET', '/admin/rooms/none')).body.error.code, 'ROOM_NOT_FOUND')
  })

  test('…/members: roles, markers and bans, in pages', async () => {
    await gateway.admin('POST', `/blockStatus/room/${encodeURIComponent(room)}/bob`)
    const path = `/admin/rooms/${encodeURIComponent(room)}/members?limit=1`
    const first = await get(path)
    const second = await get(`${path}&cursor=${encodeURIComponent(first.cursor)}`)
    const found = [...first.data, ...second.data].toSorted((a, b) => (a._id < b._id ? -1 : 1))
    assert.deepEqual(
      found.map(({ _id, role, blocked }) => ({ _id, role, blocked })),
      [
        { _id: 'alice', role: 'owner', blocked: undefined },
        { _id: 'bob', role: 'member', blocked: {} },
      ],
    )
    assert.equal(second.cursor, undefined)
    const bans = await get(`/admin/rooms/${encodeURIComponent(room)}/bans`)
    assert.deepEqual([bans.length, bans[0].blockee._id], [1, 'bob'])
  })

  test("…/messages: the members' history, without personal deletions, deleted messages as stubs", async () => {
    const base = `/admin/rooms/${encodeURIComponent(room)}/messages`
    await bob.call('POST', '/messages/user-delete', { room, messages: [ids[0]] })
    await gateway.admin('DELETE', `/rooms/${encodeURIComponent(room)}/messages/${ids[1]}`)
    const page = await get(`${base}?timeRangeField=createdAt`)
    const shown = page.data.map(({ message = '', isDeleted }: { message?: string; isDeleted: boolean }) => [
      message,
      isDeleted,
    ])
    assert.deepEqual(shown, [
      ['three', false],
      ['', true],
      ['one', false],
    ])
    assert.deepEqual([page.totalCount, page.userDeletedIDs], [3, []])
    const after = await get(`${base}?afterMessage=${ids[0]}&timeRangeField=createdAt&limit=1`)
    assert.equal(after.data[0]._id, ids[1])
    assert.equal((await gateway.admin('GET', '/admin/rooms/none/messages')).body.error.code, 'ROOM_NOT_FOUND')
    assert.equal((await gateway.admin('GET', `${base}?beforeMessage=x`)).body.error.code, 'MESSAGE_NOT_FOUND')
  })

  test('includeDeleted shows messages still kept after a recent _all', async () => {
    const gone = await gateway.newRoom([alice])
    const sent = await alice.call('POST', `/rooms/${gone}/message`, { message: 'kept', messageType: 'text' })
    await gateway.admin('DELETE', `/rooms/${gone}/messages/_all`)
    const contents = async (more: string) =>
      (await get(`/admin/rooms/${gone}/messages?${more}`)).data.map(({ message }: { message?: string }) => message)
    assert.deepEqual(await contents(''), [undefined])
    assert.deepEqual(await contents('includeDeleted=true'), ['kept'])
    assert.equal(sent.status, 200)
  })

  test('GET /admin/messages/{id}/thread: its messages, also those that a user deleted for themselves', async () => {
    const of = await gateway.newRoom([alice])
    const say = async (message: string, more = {}): Promise<string> =>
      (await alice.call('POST', `/rooms/${of}/message`, { message, messageType: 'text', ...more })).body.result._id
    const root = await say('root')
    const reply = await say('reply', { replyTo: root, thread: true })
    await alice.call('POST', '/messages/user-delete', { room: of, messages: [root, reply] })
    for (const id of [root, reply]) {
      const { root: shown, data, totalCount, takesPart, userDeletedIDs } = await get(`/admin/messages/${id}/thread`)
      assert.deepEqual([shown.message, data[0].message, totalCount], ['root', 'reply', 1])
      assert.deepEqual([takesPart, userDeletedIDs], [false, []])
    }
    assert.equal((await gateway.admin('GET', '/admin/messages/none/thread')).body.error.code, 'MESSAGE_NOT_FOUND')
  })

  test('a key pins, unpins and edits any message, and …/pins lists them', async () => {
    const heard = await gateway.hear()
    const pinned = await gateway.admin('POST', `/messages/${ids[2]}/pin`)
    assert.deepEqual([pinned.status, pinned.body.result.pinned], [200, true])
    await heard.next('messageUpdated', ({ _id }: { _id: string }) => _id === ids[2])
    const pins = await get(`/admin/rooms/${encodeURIComponent(room)}/pins`)
    assert.deepEqual(
      pins.data.map(({ _id }: { _id: string }) => _id),
      [ids[2]],
    )
    const edit = { _id: ids[2], message: 'three, edited' }
    const edited = await gateway.admin('POST', `/rooms/${encodeURIComponent(room)}/message`, edit)
    assert.deepEqual(
      [edited.status, edited.body.result.message, edited.body.result.edited],
      [200, 'three, edited', true],
    )
    assert.equal((await gateway.admin('DELETE', `/messages/${ids[2]}/pin`)).body.result.pinned, undefined)
    const send = await gateway.admin('POST', `/rooms/${encodeURIComponent(room)}/message`, {
      message: 'x',
      messageType: 'text',
    })
    assert.equal(send.body.error.code, 'MISSING_PARAMETER')
  })

  test('GET /admin/clients/{id}: profile, devices, tokens by fingerprint, connections, bans, blocks', async () => {
    await bob.call('POST', '/me/subscribe', { type: 'ios', token: 'device token', deviceId: 'phone' })
    await bob.call('POST', '/blockStatus/my/alice')
    const { body, text } = await gateway.admin('GET', '/admin/clients/bob')
    const { profile, roomCount, devices, tokens, connections, bans, blocks } = body.result
    assert.deepEqual([profile._id, profile.isAdmin, roomCount], ['bob', false, 6])
    assert.deepEqual([devices[0].deviceId, devices[0].type, devices[0].fingerprint.length], ['phone', 'ios', 12])
    assert.deepEqual([tokens.length, tokens[0].isInForce, tokens[0].fingerprint.length], [1, true, 12])
    const lastUse = async () => (await get('/admin/clients/alice')).tokens[0].lastUsedTime
    await vi.waitUntil(async () => (await lastUse()) !== undefined)
    const { _id = '', lastUsedAt = new Date(0) } = (await gateway.chat.db.tokens.findOne({ user: 'alice' })) ?? {}
    const earlier = (ms: number) => new Date(lastUsedAt.getTime() - ms)
    const use = async (setTo: Date) => {
      await gateway.chat.db.tokens.updateOne({ _id }, { $set: { lastUsedAt: setTo } })
      const held = await gateway.chat.db.tokens.findOne({ _id })
      assert.ok(held)
      await recordTokenUse(gateway.chat.db, held)
      return lastUse()
    }
    assert.equal(await use(earlier(1_800_000)), earlier(1_800_000).toISOString())
    assert.ok((await use(earlier(3_700_000))) >= lastUsedAt.toISOString())
    assert.deepEqual([connections.data, bans[0].room, blocks[0].blockee._id], [[], room, 'alice'])
    assert.ok(!text.includes(bob.token) && !text.includes('device token'))
    assert.equal((await gateway.admin('GET', '/admin/clients/none')).body.error.code, 'CLIENT_NOT_FOUND')
  })

  test('a deleted room is neither counted nor listed', async () => {
    const eve = await gateway.newUser()
    const [gone] = [await gateway.newRoom([eve]), await gateway.newRoom([eve])]
    await gateway.admin('DELETE', `/rooms/${gone}`)
    const { roomCount } = await get(`/admin/clients/${eve.id}`)
    assert.deepEqual([roomCount, (await get(`/admin/clients/${eve.id}/rooms`)).totalCount], [1, 1])
  })

  test('…/rooms: with exact unread counts and roles, the latest message first', async () => {
    await alice.call('POST', `/rooms/${room}/message`, { message: 'four', messageType: 'text' })
    const { body } = await bob.call('GET', '/rooms')
    const wanted = body.result.data.map(({ _id, unread }: { _id: string; unread: number }) => [_id, unread])
    const page = await get('/admin/clients/bob/rooms')
    const found = page.data.map(({ _id, unread }: { _id: string; unread: number }) => [_id, unread])
    assert.deepEqual(found.toSorted(), wanted.toSorted())
    assert.deepEqual([page.totalCount, page.data[0]._id, page.data[0].role], [6, room, 'member'])
    assert.equal(
      (await get('/admin/clients/alice/rooms')).data.find(({ _id }: { _id: string }) => _id === room).role,
      'owner',
    )
    assert.deepEqual((await get('/admin/clients/bob/rooms?skip=5&limit=1')).data.length, 1)
    assert.equal((await gateway.admin('GET', '/admin/clients/none/rooms')).body.error.code, 'CLIENT_NOT_FOUND')
  })
})
