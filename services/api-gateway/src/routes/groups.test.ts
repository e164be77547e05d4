import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

suite('GET /admin/groups', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startTestGateway()
    for (const id of ['alice', 'bob', 'carl']) await gateway.newUser(id)
  })
  after(() => gateway.stop())
  const save = (body: object) => gateway.admin('POST', '/admin/groups', body)

  test('POST /admin/groups creates or replaces; the list answers _id, nickname, avatarUrl and members', async () => {
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

  test('without a key is 401 INVALID_API_KEY', async () => {
    const { status, body } = await gateway.anonymous('GET', '/admin/groups')
    assert.deepEqual([status, body.error.code], [401, 'INVALID_API_KEY'])
  })
})
