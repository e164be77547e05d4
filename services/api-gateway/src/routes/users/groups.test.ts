import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('GET /admin/groups', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
    for (const id of ['alice', 'bob', 'carl']) await gateway.newUser(id)
  })
  afterAll(() => gateway.stop())
  const save = (body: object) => gateway.admin('POST', '/admin/groups', body)

  test('POST /admin/groups creates or replaces; the list returns _id, nickname, avatarUrl and members', async () => {
    proves('GET /admin/groups', '?limit', 'result.totalCount', 'result.data')
    proves('UserGroup', '_id', 'nickname', 'avatarUrl', 'members')
    const made = await save({ nickname: 'Made', members: ['alice', 'alice', 'bob'] })
    assert.equal(made.status, 200)
    assert.deepEqual(made.body.result.members, ['alice', 'bob'])
    await save({ _id: 'g1', nickname: 'One', members: ['alice'] })
    const one = { _id: 'g1', nickname: 'Uno', avatarUrl: 'https://a/g1', members: ['carl'] }
    assert.deepEqual((await save(one)).body.result, one)
    const { status, body } = await gateway.admin('GET', '/admin/groups')
    assert.equal(status, 200)
    assert.equal(body.result.totalCount, 2)
    assert.deepEqual(new Set(body.result.data), new Set([one, made.body.result]))
    const page = await gateway.admin('GET', '/admin/groups?limit=1')
    assert.deepEqual([page.body.result.totalCount, page.body.result.data.length], [2, 1])
  })

  test('unknown members are 404 CLIENT_NOT_FOUND naming them, the ID of a user 409 USER_EXISTS, no nickname 400 MISSING_PARAMETER', async () => {
    const unknown = await save({ nickname: 'x', members: ['alice', 'nobody', 'none'] })
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'CLIENT_NOT_FOUND'])
    assert.match(unknown.body.error.message, /nobody.*none/)
    const taken = await save({ _id: 'bob', nickname: 'x' })
    assert.deepEqual([taken.status, taken.body.error.code], [409, 'USER_EXISTS'])
    const none = await save({ members: [] })
    assert.deepEqual([none.status, none.body.error.code], [400, 'MISSING_PARAMETER'])
  })

  test('DELETE /admin/groups/{id} removes it; again, or a user, is 404 CLIENT_NOT_FOUND', async () => {
    await save({ _id: 'a/b', nickname: 'x' })
    assert.deepEqual((await gateway.admin('DELETE', '/admin/groups/a%2Fb')).body.result, {})
    for (const id of ['a%2Fb', 'bob']) {
      const { status, body } = await gateway.admin('DELETE', `/admin/groups/${id}`)
      assert.deepEqual([status, body.error.code], [404, 'CLIENT_NOT_FOUND'])
    }
  })
})

describe('mentioning a user group', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
    await gateway.admin('POST', '/admin/groups', { _id: 'team', nickname: 'Team', members: ['bob'] })
  })
  afterAll(() => gateway.stop())

  test("shows the group's ID but not its members: in the response, the event, the history and the list of rooms", async () => {
    const room = await gateway.newRoom([alice, bob])
    const heard = await gateway.hear()
    const body = { room, sender: 'alice', message: 'x', messageType: 'text', mentions: ['team', 'alice', 'team'] }
    const sent = await gateway.admin('POST', '/messages', body)
    const { payload } = await heard.next('chat message')
    const history = await bob.call('GET', `/rooms/${room}/messages/v3`)
    const rooms = await bob.call('GET', '/rooms')
    const shown = [sent.body.result, payload, history.body.result.data[0], rooms.body.result.data[0].lastMessage]
    for (const { mentions } of shown) assert.deepEqual(mentions, ['team', 'alice'])

    const edit = { _id: sent.body.result._id, message: 'y', mentions: ['team'] }
    const edited = await alice.call('POST', `/rooms/${room}/message`, edit)
    const updated = (await heard.next('messageUpdated')).payload as { mentions: string[] }
    for (const { mentions } of [edited.body.result, updated]) assert.deepEqual(mentions, ['team'])
  })

  test('over 1000 IDs is 400 INVALID_REQUEST; members of the groups do not count', async () => {
    const room = await gateway.newRoom([alice, bob])
    const send = (mentions: string[]) =>
      gateway.admin('POST', '/messages', { room, sender: 'alice', message: 'x', messageType: 'text', mentions })
    const many = Array.from({ length: 1_000 }, (_, i) => `user ${i}`)
    const refused = await send(['team', ...many])
    assert.deepEqual([refused.status, refused.body.error.code], [400, 'INVALID_REQUEST'])
    assert.match(refused.body.error.message, /^mentions/)
    await gateway.admin('POST', '/admin/clients/list', { data: many.map((_id) => ({ _id })) })
    await gateway.admin('POST', '/admin/groups', { _id: 'all', nickname: 'All', members: [...many, 'bob'] })
    assert.equal((await send(['all', 'alice'])).status, 200)
  })
})
