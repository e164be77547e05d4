import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

suite('GET /admin/clients', () => {
  let gateway: TestGateway
  let createdAt: string

  before(async () => {
    gateway = await startTestGateway()
    const data = Array.from({ length: 120 }, (_, i) => ({ _id: `user.${i}`, nickname: `Nick ${i % 3}` }))
    await gateway.admin('POST', '/admin/clients/list', { data })
    await gateway.admin('POST', '/admin/clients', {
      _id: 'mail',
      email: 'a@b.c',
      nickname: 'Zoë',
      issueAccessToken: true,
    })
    await gateway.admin('POST', '/admin/groups', { _id: 'a group', nickname: 'Nick 1', members: ['mail'] })
    createdAt = (await list({ q: { _id: 'mail' } })).body.result.data[0].createdAt
    await gateway.chat.recordLogin({ app: gateway.app, user: 'user.7', atMS: Date.parse('2026-01-02T03:04:05Z') })
  })
  after(() => gateway.stop())

  const list = ({ q, ...query }: { q?: unknown; limit?: unknown; skip?: unknown }) => {
    const all = { ...query, ...(q !== undefined && { q: typeof q === 'string' ? q : JSON.stringify(q) }) }
    return gateway.admin('GET', `/admin/clients?${new URLSearchParams(all as Record<string, string>).toString()}`)
  }
  const count = async (q: unknown) => {
    const { status, body } = await list({ q })
    assert.equal(status, 200, JSON.stringify(body))
    return body.result.totalCount
  }

  test('answers 50 by default, at most 100, from skip on; totalCount counts all; groups and tokens are left out', async () => {
    const { body } = await list({})
    assert.equal(body.result.totalCount, 121)
    assert.equal(body.result.data.length, 50)
    assert.equal((await list({ limit: 100, skip: 30 })).body.result.data.length, 91)
    assert.equal((await list({ limit: 100, skip: 121 })).body.result.data.length, 0)
    for (const query of [{ limit: 101 }, { limit: 0 }, { skip: -1 }, { limit: 'x' }]) {
      const { status, body: refused } = await list(query)
      assert.deepEqual([status, refused.error.code], [400, 'INVALID_QUERY'])
    }
    const { body: found } = await list({ q: { _id: 'mail' } })
    assert.equal('token' in found.result.data[0], false)
    assert.partialDeepStrictEqual(found.result.data[0], { _id: 'mail', email: 'a@b.c', nickname: 'Zoë', avatarUrl: '' })
  })

  const answers: [what: string, q: () => unknown, wanted: number][] = [
    ['a value alone', () => ({ nickname: 'Nick 1' }), 40],
    ['$eq', () => ({ nickname: { $eq: 'Nick 1' } }), 40],
    ['$ne', () => ({ nickname: { $ne: 'Nick 1' } }), 81],
    ['$gt and $lte on _id', () => ({ _id: { $gt: 'user.10', $lte: 'user.109' } }), 10],
    ['$gte', () => ({ _id: { $gte: 'user.' } }), 120],
    ['$lt', () => ({ _id: { $lt: 'user.' } }), 1],
    ['$in', () => ({ _id: { $in: ['mail', 'user.5', 'nobody', 'a group'] } }), 2],
    ['$nin', () => ({ _id: { $nin: ['mail', 'user.5'] } }), 119],
    ['$exists true', () => ({ email: { $exists: true } }), 1],
    ['$exists false', () => ({ email: { $exists: false } }), 120],
    ['$type', () => ({ email: { $type: 'string' } }), 1],
    ['$regex', () => ({ _id: { $regex: '^user\\.1\\d$' } }), 10],
    ['$regex with $options', () => ({ nickname: { $regex: '^zOË$', $options: 'i' } }), 1],
    ['$and', () => ({ $and: [{ nickname: 'Nick 1' }, { _id: { $lt: 'user.2' } }] }), 12],
    ['$or', () => ({ $or: [{ _id: 'mail' }, { _id: 'user.1' }] }), 2],
    ['two fields', () => ({ nickname: 'Nick 1', _id: 'user.1' }), 1],
    ['nothing', () => ({}), 121],
    ['a time in ISO-8601', () => ({ createdAt: { $lte: createdAt } }), 121],
    ['a time in milliseconds', () => ({ createdAt: { $gt: Date.parse(createdAt) } }), 0],
    ['lastLoginTimeMS in milliseconds', () => ({ lastLoginTimeMS: { $eq: Date.parse('2026-01-02T03:04:05Z') } }), 1],
    ['lastLoginTimeMS in ISO-8601', () => ({ lastLoginTimeMS: { $gte: '2026-01-02T03:04:05Z' } }), 1],
    ['isRobot', () => ({ isRobot: true }), 0],
  ]
  for (const [what, q, wanted] of answers) test(`q: ${what}`, async () => assert.equal(await count(q()), wanted))

  const refusals: [what: string, q: unknown, message: RegExp][] = [
    ['no JSON', '{"a":', /q/],
    ['no object', '[]', /q/],
    ['null', 'null', /q/],
    ['$where', { $where: 'sleep(1)' }, /\$where/],
    ['$expr', { $expr: { $eq: [1, 1] } }, /\$expr/],
    ['$function in a field', { nickname: { $function: {} } }, /\$function/],
    ['$not', { nickname: { $not: { $eq: 'x' } } }, /\$not/],
    ['$nor', { $nor: [{ nickname: 'x' }] }, /\$nor/],
    ['an operator in the wrong place', { $gt: 5 }, /\$gt/],
    ['$and of no list', { $and: {} }, /\$and/],
    ['$and of nothing', { $and: [] }, /\$and/],
    ['$options alone', { nickname: { $options: 'i' } }, /\$options/],
    ['a field that is not filterable', { tokens: 'x' }, /tokens/],
    ['a field of the inside', { app: 'other' }, /app/],
    ['__proto__', '{"__proto__":{"nickname":"x"}}', /__proto__/],
    ['constructor', '{"constructor":1}', /constructor/],
    ['an object as value', { nickname: { a: 1 } }, /nickname/],
    ['an object within $in', { nickname: { $in: [{ $gt: '' }] } }, /\$in/],
    ['a list as value', { nickname: ['x'] }, /nickname/],
    ['a number for a text', { nickname: { $gt: 5 } }, /string/],
    ['no time', { createdAt: { $gt: 'yesterday' } }, /createdAt/],
    ['$type of nothing known', { nickname: { $type: 'javascript' } }, /\$type/],
    ['$exists of no boolean', { nickname: { $exists: 'x' } }, /\$exists/],
    ['a broken pattern', { nickname: { $regex: '(' } }, /\$regex/],
    ['a pattern with a back-reference', { nickname: { $regex: String.raw`(a)\1` } }, /\$regex/],
    ['a pattern with look-around', { nickname: { $regex: '(?=a)b' } }, /\$regex/],
    ['unknown $options', { nickname: { $regex: 'a', $options: 'g' } }, /\$options/],
    ['too deep', JSON.stringify(Array.from({ length: 20 }).reduce((inner) => ({ $and: [inner] }), {})), /deep/],
    ['too many conditions', { $or: Array.from({ length: 200 }, () => ({ nickname: 'x' })) }, /conditions/],
  ]
  for (const [what, q, message] of refusals) {
    test(`q: ${what} is 400 INVALID_QUERY and says where`, async () => {
      const { status, body } = await list({ q })
      assert.deepEqual([status, body.error?.code], [400, 'INVALID_QUERY'], JSON.stringify(body))
      assert.match(body.error.message, message)
    })
  }

  test('a $regex that runs away is stopped and is 400 INVALID_QUERY', async (t) => {
    const other = await startTestGateway()
    t.after(() => other.stop())
    const data = Array.from({ length: 3000 }, (_, i) => ({ _id: `u${i}`, description: `${'a'.repeat(4000)}!` }))
    for (let i = 0; i < data.length; i += 200) {
      await other.admin('POST', '/admin/clients/list', { data: data.slice(i, i + 200) })
    }
    const q = encodeURIComponent(JSON.stringify({ description: { $regex: '^(((a+)+)+)+$' } }))
    const { status, body } = await other.admin('GET', `/admin/clients?q=${q}`)
    assert.deepEqual([status, body.error?.code], [400, 'INVALID_QUERY'], JSON.stringify(body))
  })

  test('an answer over the size limit is 413 RESULT_TOO_LARGE; a lower limit helps', async (t) => {
    const other = await startTestGateway()
    t.after(() => other.stop())
    const data = Array.from({ length: 100 }, (_, i) => ({ _id: `u${i}`, description: '語'.repeat(4096) }))
    for (let i = 0; i < 100; i += 20) await other.admin('POST', '/admin/clients/list', { data: data.slice(i, i + 20) })
    const { status, body } = await other.admin('GET', '/admin/clients?limit=100')
    assert.deepEqual([status, body.error?.code], [413, 'RESULT_TOO_LARGE'])
    assert.equal((await other.admin('GET', '/admin/clients?limit=10')).body.result.data.length, 10)
  })

  test('without a key is 401 INVALID_API_KEY', async () => {
    const { status, body } = await gateway.anonymous('GET', '/admin/clients')
    assert.deepEqual([status, body.error.code], [401, 'INVALID_API_KEY'])
  })
})
