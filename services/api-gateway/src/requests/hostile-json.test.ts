import assert from 'node:assert/strict'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAlice, type TestGateway, type TestUser } from '../test-gateway.ts'

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('hostile JSON is refused with 4xx and stores nothing, or comes back unchanged', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  beforeAll(async () => {
    ;({ gateway, alice, room } = await startWithAlice())
  })
  afterAll(() => gateway.stop())

  const group = (extParams: string) =>
    `{"_id":"hostile","roomType":"group","members":["alice"],"extParams":${extParams}}`
  const message = (content: string) => `{"room":"${room}","sender":"alice","messageType":"x","message":${content}}`

  /** Every operation that stores or forwards free JSON, and its maximum size. */
  const takers: Record<
    string,
    { put: (json: string) => ReturnType<TestGateway['admin']>; count: () => Promise<number> }
  > = {
    'POST /rooms/ extParams': {
      put: (json) => gateway.admin('POST', '/rooms/', group(`{"x":${json}}`)),
      count: () => gateway.chat.db.rooms.countDocuments(),
    },
    'PUT /rooms/{id} extParams': {
      put: (json) => gateway.admin('PUT', `/rooms/${room}`, `{"extParams":{"x":${json}}}`),
      count: () => gateway.chat.db.rooms.countDocuments({ extParams: { $ne: '{}' } }),
    },
    'POST /me/pref/{key}': {
      put: (json) => alice.call('POST', '/me/pref/hostile', `{"data":${json}}`),
      count: () => gateway.chat.db.prefs.countDocuments(),
    },
    'POST /config': {
      put: (json) => gateway.admin('POST', '/config', `{"hostile":${json}}`),
      count: () => gateway.chat.db.config.countDocuments(),
    },
    'POST /messages': {
      put: (json) => gateway.admin('POST', '/messages', message(json)),
      count: async () => {
        await gateway.chat.flusher.drained()
        return (await findAllMessages(gateway.chat.db, {})).length
      },
    },
    'POST /push/push2clients alert': {
      put: (json) =>
        gateway.admin('POST', '/push/push2clients', `{"clients":["alice"],"payload":{"alert":{"x":${json}}}}`),
      count: async () => 0,
    },
  }

  for (const [operation, { put, count }] of Object.entries(takers)) {
    for (const [what, json] of [
      ['102 levels', deep(102)],
      ['1,000 levels', deep(1_000)],
      ['4,500 levels', deep(4_500)],
      ['100,000 levels', deep(100_000)],
      ['1,000 levels of objects', `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`],
      ['invalid JSON', '{"a":NaN}'],
    ] as const) {
      test(`${operation} with ${what} is 400 INVALID_BODY`, async () => {
        const before = await count()
        const { status, body } = await put(json)
        assert.deepEqual([status, body.error?.code], [400, 'INVALID_BODY'])
        assert.equal(await count(), before)
      })
    }
  }

  for (const [what, json] of [
    ['more than 16 KiB', `{"a":"${'x'.repeat(16_384)}"}`],
    ['a list', '[]'],
  ] as const) {
    test(`extParams with ${what} is 400 INVALID_REQUEST naming it, and nothing is stored`, async () => {
      const before = await gateway.chat.db.rooms.countDocuments()
      const answers = [
        await gateway.admin('POST', '/rooms/', group(json)),
        await gateway.admin('PUT', `/rooms/${room}`, `{"extParams":${json}}`),
      ]
      for (const { status, body } of answers) {
        assert.deepEqual([status, body.error?.code], [400, 'INVALID_REQUEST'])
        assert.match(body.error.message, /^extParams: /)
      }
      assert.equal(await gateway.chat.db.rooms.countDocuments(), before)
      const { extParams } = (await alice.call('GET', `/rooms/${room}`)).body.result
      assert.deepEqual(extParams, {})
    })
  }

  const odd =
    '{"_bsontype":"ObjectId","a\\u0000b":1,"__proto__":{"x":1},"constructor":1,"$ref":"a","$id":"b","a.b":{"$gt":""},"s":"\\ud800","toJSON":1,"n":1e308}'

  test('messages, preferences, configuration values and extParams keep any JSON, with odd names and lone surrogates', async () => {
    await gateway.admin('POST', '/messages', message(odd))
    const { body: history } = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    assert.deepEqual(history.result.data[0].message, JSON.parse(odd))
    await alice.call('POST', '/me/pref/odd', `{"data":${odd}}`)
    assert.deepEqual((await alice.call('GET', '/me/pref')).body.result.odd, JSON.parse(odd))
    await gateway.admin('POST', '/config', odd)
    const { body: config } = await gateway.admin('GET', '/config')
    assert.deepEqual(config.result, JSON.parse(odd))
    const made = await gateway.admin('POST', '/rooms/', `{"roomType":"group","members":["alice"],"extParams":${odd}}`)
    const path = `/rooms/${made.body.result._id}`
    for (const { status, body } of [
      made,
      await alice.call('GET', path),
      await gateway.admin('PUT', path, { name: 'x' }),
      await gateway.admin('PUT', path, `{"extParams":${odd}}`),
    ]) {
      assert.deepEqual([status, body.result?.extParams], [200, JSON.parse(odd)])
    }
  })

  test('of duplicate keys, the last one counts', async () => {
    const { status, body } = await gateway.admin('POST', '/messages', `{"sender":"nobody",${message('1').slice(1)}`)
    assert.deepEqual([status, body.result.sender], [200, 'alice'])
  })

  for (const parameter of ['q', 'pref']) {
    test(`${parameter} with JSON nested too deep is 400 INVALID_QUERY`, async () => {
      for (const json of [deep(1_000), `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`, '{"nickname":1e999}']) {
        const path = parameter === 'q' ? '/admin/clients' : '/rooms'
        const call = parameter === 'q' ? gateway.admin : alice.call
        const { status, body } = await call('GET', `${path}?${parameter}=${encodeURIComponent(json)}`)
        assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'])
      }
    })
  }
})
