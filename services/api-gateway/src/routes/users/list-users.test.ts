import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('GET /admin/clients', () => {
  let gateway: TestGateway
  let createdAt: string

  beforeAll(async () => {
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
  afterAll(() => gateway.stop())

  const list = ({ q, ...query }: { q?: unknown; limit?: unknown; skip?: unknown }) => {
    const all = { ...query, ...(q !== undefined && { q: typeof q === 'string' ? q : JSON.stringify(q) }) }
    return gateway.admin('GET', `/admin/clients?${new URLSearchParams(all as Record<string, string>).toString()}`)
  }
  const count = async (q: unknown) => {
    const { status, body } = await list({ q })
    assert.equal(status, 200, JSON.stringify(body))
    return body.result.totalCount
  }

  test('returns 50 by default, at most 100, from skip on; totalCount counts all; groups and tokens are omitted', async () => {
    proves('GET /admin/clients', '?limit', '?skip', 'result.totalCount', 'result.data', 'no tokens')
    proves('GET /admin/clients', 'result.data[]._id', 'result.data[].nickname', 'result.data[].email')
    proves('GET /admin/clients', 'result.data[].avatarUrl')
    proves('Limits', 'GET /admin/clients: limit is 50 by default', 'GET /admin/clients: limit is 100 at most')
    const { body } = await list({})
    assert.equal(body.result.totalCount, 121)
    assert.equal(body.result.data.length, 50)
    assert.equal((await list({ limit: 100, skip: 30 })).body.result.data.length, 91)
    assert.equal((await list({ limit: 100, skip: 121 })).body.result.data.length, 0)
    assert.equal((await list({ limit: 101 })).body.result.data.length, 100)
    for (const query of [{ limit: 0 }, { skip: -1 }, { limit: 'x' }]) {
      const { status, body: refused } = await list(query)
      assert.deepEqual([status, refused.error.code], [400, 'INVALID_QUERY'])
    }
    const { body: found } = await list({ q: { _id: 'mail' } })
    assert.equal('token' in found.result.data[0], false)
    assert.partialDeepStrictEqual(found.result.data[0], { _id: 'mail', email: 'a@b.c', nickname: 'Zoë', avatarUrl: '' })
  })

  test('skip is 0 by default', async () => {
    proves('Limits', 'GET /admin/clients: skip is 0 by default')
    const ids = async (query: object) => (await list(query)).body.result.data.map(({ _id }: { _id: string }) => _id)
    const first = await ids({ limit: 3 })
    assert.equal(first.length, 3)
    assert.deepEqual(await ids({ limit: 3, skip: 0 }), first)
    assert.notDeepEqual(await ids({ limit: 3, skip: 1 }), first)
  })

  const answers: [what: string, q: () => unknown, wanted: number, proven?: string[]][] = [
    ['a value alone', () => ({ nickname: 'Nick 1' }), 40],
    ['$eq', () => ({ nickname: { $eq: 'Nick 1' } }), 40, ['$eq', 'filter by nickname']],
    ['$ne', () => ({ nickname: { $ne: 'Nick 1' } }), 81, ['$ne']],
    [
      '$gt and $lte on _id',
      () => ({ _id: { $gt: 'user.10', $lte: 'user.109' } }),
      10,
      ['$gt', '$lte', 'filter by _id'],
    ],
    ['$gte', () => ({ _id: { $gte: 'user.' } }), 120, ['$gte']],
    ['$lt', () => ({ _id: { $lt: 'user.' } }), 1, ['$lt']],
    ['$in', () => ({ _id: { $in: ['mail', 'user.5', 'nobody', 'a group'] } }), 2, ['$in']],
    ['$nin', () => ({ _id: { $nin: ['mail', 'user.5'] } }), 119, ['$nin']],
    ['$exists true', () => ({ email: { $exists: true } }), 1, ['$exists', 'filter by email']],
    ['$exists false', () => ({ email: { $exists: false } }), 120],
    ['$type', () => ({ email: { $type: 'string' } }), 1, ['$type']],
    ['$type by number, or one of several', () => ({ email: { $type: [2, 'null'] }, createdAt: { $type: 9 } }), 1],
    ['$regex', () => ({ _id: { $regex: '^user\\.1\\d$' } }), 10, ['$regex']],
    ['$regex with $options', () => ({ nickname: { $regex: '^zOË$', $options: 'i' } }), 1, ['$options']],
    ['$and', () => ({ $and: [{ nickname: 'Nick 1' }, { _id: { $lt: 'user.2' } }] }), 12],
    ['$or', () => ({ $or: [{ _id: 'mail' }, { _id: 'user.1' }] }), 2],
    ['two fields', () => ({ nickname: 'Nick 1', _id: 'user.1' }), 1],
    ['nothing', () => ({}), 121],
    ['a time in ISO-8601', () => ({ createdAt: { $lte: createdAt } }), 121, ['filter by createdAt']],
    ['a time in milliseconds', () => ({ createdAt: { $gt: Date.parse(createdAt) } }), 0],
    ['a time as $date', () => ({ createdAt: { $lte: { $date: createdAt } } }), 121],
    ['a time as $date alone', () => ({ createdAt: { $date: '2026-01-01T00:00:00Z' } }), 0],
    [
      'lastLoginTimeMS in milliseconds',
      () => ({ lastLoginTimeMS: { $eq: Date.parse('2026-01-02T03:04:05Z') } }),
      1,
      ['filter by lastLoginTimeMS'],
    ],
    ['lastLoginTimeMS in ISO-8601', () => ({ lastLoginTimeMS: { $gte: '2026-01-02T03:04:05Z' } }), 1],
    ['lastLoginTimeMS beyond all dates', () => ({ lastLoginTimeMS: { $lte: Number.MAX_SAFE_INTEGER } }), 121],
    ['lastLoginTimeMS between two milliseconds', () => ({ lastLoginTimeMS: { $gte: 0.5 } }), 1],
    ['isRobot', () => ({ isRobot: true }), 0],
  ]
  for (const [what, q, wanted, proven = []] of answers) {
    test(`q: ${what}`, async () => {
      proves('GET /admin/clients', '?q', ...proven)
      assert.equal(await count(q()), wanted)
    })
  }

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
    ['$type of no type at all', { nickname: { $type: [] } }, /\$type/],
    ['$date of a text', { nickname: { $date: '2026-01-01' } }, /nickname/],
    ['no day of the year', { createdAt: { $gt: '2026-02-30' } }, /createdAt/],
    ['$exists of no boolean', { nickname: { $exists: 'x' } }, /\$exists/],
    ['a broken pattern', { nickname: { $regex: '(' } }, /\$regex/],
    ['a pattern with a back-reference', { nickname: { $regex: String.raw`(a)\1` } }, /\$regex/],
    ['a pattern with look-around', { nickname: { $regex: '(?=a)b' } }, /\$regex/],
    ['unknown $options', { nickname: { $regex: 'a', $options: 'g' } }, /\$options/],
    ['too deep', JSON.stringify(Array.from({ length: 20 }).reduce((inner) => ({ $and: [inner] }), {})), /deep/],
    ['too many conditions', { $or: Array.from({ length: 200 }, () => ({ nickname: 'x' })) }, /conditions/],
  ]
  for (const [what, q, message] of refusals) {
    test(`q: ${what} is 400 INVALID_QUERY naming the place`, async () => {
      proves('GET /admin/clients', '400 INVALID_QUERY')
      const { status, body } = await list({ q })
      assert.deepEqual([status, body.error?.code], [400, 'INVALID_QUERY'], JSON.stringify(body))
      assert.match(body.error.message, message)
    })
  }

  test('a runaway $regex is stopped with 400 INVALID_QUERY; filters in flight are limited per app: one that waits too long gets 429, and other apps do not wait', async () => {
    const other = await startTestGateway()
    onTestFinished(() => other.stop())
    const description = `${'a'.repeat(4000)}!`
    await other.admin('POST', '/admin/clients', { _id: 'u', description, issueAccessToken: true })
    const { users } = other.chat.db
    const user = await users.findOne({ app: other.app })
    assert.equal(user?.description, description)
    // Filtering them uses up the time limit.
    await users.insertMany(Array.from({ length: 3000 }, (_, i) => ({ ...user, _id: `${user._id}${i}`, id: `u${i}` })))
    const q = encodeURIComponent(JSON.stringify({ description: { $regex: '^(((a+)+)+)+$' } }))
    const slow = () => other.admin('GET', `/admin/clients?q=${q}`)
    const answers = Promise.all(Array.from({ length: 40 }, slow))
    const over = { yet: false }
    const watch = (async () => {
      let max = 0
      while (!over.yet) {
        const pipeline = [{ $currentOp: {} }, { $match: { ns: `${other.chat.db.mongo.databaseName}.users` } }]
        max = Math.max(max, (await other.chat.db.client.db('admin').aggregate(pipeline).toArray()).length)
      }
      return max
    })()
    const { status } = await gateway.admin('GET', '/admin/clients?q=%7B%22_id%22%3A%22mail%22%7D')
    assert.equal(status, 200)
    const codes = (await answers).map(({ status, body: { error } }) => `${status} ${error?.code}`)
    over.yet = true
    // A filter is two queries: the page and the total.
    const max = await watch
    assert.ok(max > 0 && max <= 8, `${max}`)
    assert.deepEqual(new Set(codes), new Set(['400 INVALID_QUERY', '429 TOO_MANY_REQUESTS']))
    const refused = (await answers).find(({ status }) => status === 429)
    assert.equal(refused?.headers.get('retry-after'), '1')
    assert.equal((await other.admin('GET', '/admin/clients?limit=1')).status, 200)
  })

  test('any q either works in the database or is 400', async () => {
    const texts = fc.constantFrom(
      '',
      'Nick 1',
      'user.1',
      '\ud800',
      '\0',
      '(',
      '^a|b$',
      '[[:alpha:]]',
      '\\pL{3}',
      '(?i)a',
      '\\Q[\\E',
    )
    const values = fc.oneof(texts, fc.double(), fc.boolean(), fc.constant(null), fc.constant('2026-01-02T03:04:05Z'))
    const operators = fc.constantFrom(
      '$eq',
      '$ne',
      '$gt',
      '$lte',
      '$in',
      '$nin',
      '$exists',
      '$type',
      '$regex',
      '$options',
    )
    const operands = fc.oneof(values, fc.array(values, { maxLength: 3 }), fc.constantFrom('string', 'null', 'i', 'ms'))
    const fields = fc.constantFrom('_id', 'nickname', 'email', 'description', 'isRobot', 'lastLoginTimeMS', 'createdAt')
    const conditions = fc.oneof(values, fc.dictionary(operators, operands, { minKeys: 1, maxKeys: 3 }))
    const simple = fc.dictionary(fields, conditions, { maxKeys: 3 })
    const filters = fc.oneof(
      simple,
      fc.array(simple, { maxLength: 3 }).map((list) => ({ $or: list })),
    )
    const taken = { count: 0 }
    await fc.assert(
      fc.asyncProperty(filters, async (q) => {
        const { status, body } = await list({ q })
        if (status === 200) taken.count++
        else assert.deepEqual([status, body.error?.code], [400, 'INVALID_QUERY'], JSON.stringify(body))
      }),
      { numRuns: 300 },
    )
    assert.ok(taken.count > 20)
  })

  test('a response over the size limit is 413 RESULT_TOO_LARGE; a lower limit avoids it', async () => {
    proves('GET /admin/clients', '413 RESULT_TOO_LARGE')
    proves('Limits', 'GET /admin/clients: a result too large is 413')
    const other = await startTestGateway()
    onTestFinished(() => other.stop())
    const data = Array.from({ length: 100 }, (_, i) => ({ _id: `u${i}`, description: '語'.repeat(4096) }))
    for (let i = 0; i < 100; i += 20) await other.admin('POST', '/admin/clients/list', { data: data.slice(i, i + 20) })
    const { status, body } = await other.admin('GET', '/admin/clients?limit=100')
    assert.deepEqual([status, body.error?.code], [413, 'RESULT_TOO_LARGE'])
    assert.equal((await other.admin('GET', '/admin/clients?limit=10')).body.result.data.length, 10)
  })

  test('a login recorded late does not overwrite a newer one', async () => {
    const login = (atMS: number, address: string, userAgent: string) =>
      gateway.chat.recordLogin({
        ...{ app: gateway.app, user: 'mail', atMS, userAgent },
        address: { family: 'IPv4', address, port: 1 },
      })
    await login(2_000, '192.0.2.2', 'later')
    await login(1_000, '192.0.2.1', 'earlier')
    const [{ lastLoginTimeMS, address, userAgent }] = (await list({ q: { _id: 'mail' } })).body.result.data
    assert.deepEqual([lastLoginTimeMS, address.address, userAgent], [2_000, '192.0.2.2', 'later'])
  })
})
