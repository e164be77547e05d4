import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

let gateway: TestGateway
let alice: TestUser
let room: string

before(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice')
  room = await gateway.newRoom([alice])
})
after(() => gateway.stop())
beforeEach(() => gateway.chat.db.config.deleteMany({}))

const set = (body: unknown) => gateway.admin('POST', '/config', body)
const get = async () => (await alice.call('GET', '/config')).body.result

suite('POST /config', () => {
  test('config key: any → set to the given value, the same key is overwritten and others stay', async () => {
    const first = await set({ announcement: 'Hi', featureFlags: { a: true, b: [1, null, { c: 0.5 }] } })
    assert.equal(first.status, 200)
    assert.deepEqual(first.body.result, { announcement: 'Hi', featureFlags: { a: true, b: [1, null, { c: 0.5 }] } })
    const second = await set({ announcement: null })
    assert.deepEqual(second.body.result, { announcement: null, featureFlags: { a: true, b: [1, null, { c: 0.5 }] } })
    assert.deepEqual(await get(), second.body.result)
  })

  test('__proto__, constructor and keys with $ or . are ordinary keys', async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":2,"$where":"x","a.b":{"$gt":""},"":3}'
    const { status, body } = await set(text.replace(',"":3', ''))
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(Object.keys(await get()).toSorted(), ['$where', '__proto__', 'a.b', 'constructor'])
    assert.equal(({} as { polluted?: number }).polluted, undefined)
    for (const key of ['__proto__', 'constructor', '$where', 'a.b']) {
      assert.equal((await gateway.admin('DELETE', `/config/${encodeURIComponent(key)}`)).status, 200)
    }
    assert.deepEqual(await get(), {})
  })

  test('a body that is no JSON object is 400 INVALID_BODY, as is a key that is empty or over 128 characters', async () => {
    for (const body of ['[]', '"x"', '7', 'null', '{"a":', `{"${'k'.repeat(129)}":1}`, '{"":1}']) {
      const { status, body: refused } = await set(body)
      assert.deepEqual([status, refused.error?.code], [400, 'INVALID_BODY'], body)
    }
    assert.deepEqual(await get(), {})
  })

  test('a bad key is 401 INVALID_API_KEY', async () => {
    const { status, body } = await gateway.anonymous('POST', '/config', { a: 1 }, { 'im-api-key': 'x' })
    assert.deepEqual([status, body.error.code], [401, 'INVALID_API_KEY'])
  })
})

suite('DELETE /config/{key}', () => {
  test('config key: present → absent; again is 404 CONFIG_NOT_FOUND', async () => {
    await set({ 'a/b': 1, c: 2 })
    const removed = await gateway.admin('DELETE', '/config/a%2Fb')
    assert.deepEqual([removed.status, removed.body.result], [200, {}])
    assert.deepEqual(await get(), { c: 2 })
    const again = await gateway.admin('DELETE', '/config/a%2Fb')
    assert.deepEqual([again.status, again.body.error.code], [404, 'CONFIG_NOT_FOUND'])
  })
})

suite('GET /config', () => {
  test('takes client headers or the admin header and answers all keys; without any it is 401', async () => {
    await set({ a: 1 })
    assert.deepEqual((await gateway.admin('GET', '/config')).body.result, { a: 1 })
    assert.deepEqual(await get(), { a: 1 })
    assert.equal((await gateway.anonymous('GET', '/config')).status, 401)
  })
})

suite('config key censorship', () => {
  const send = async (message: unknown, by: TestGateway = gateway) =>
    (await by.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text' })).body.result

  test('a listed word is masked before it is stored, whatever its case, and only as a whole word', async () => {
    await set({ censorship: { keywords: ['darn', 'bad word', 'c++', '傻瓜', 'ÄRGER'] } })
    const sent = await send('DARN, darning is no bad  word but a Bad Word; c++ 你是傻瓜吗 ärger')
    assert.equal(sent.message, '****, darning is no bad  word but a ********; *** 你是**吗 *****')
    const history = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    assert.equal(history.body.result.data[0].message, sent.message)
  })

  test('it holds for a field text, for edits and for batches, and leaves other content as it is', async () => {
    await set({ censorship: { keywords: ['darn'] } })
    assert.deepEqual((await send({ text: 'darn', url: 'https://x/darn' })).message, {
      text: '****',
      url: 'https://x/darn',
    })
    assert.deepEqual((await send({ n: ['darn'] })).message, { n: ['darn'] })
    const { _id } = await send('fine')
    const edited = await alice.call('POST', `/rooms/${room}/message`, { _id, message: 'darn it' })
    assert.equal(edited.body.result.message, '**** it')
    const batch = { message: 'oh $what$', messageType: 'text', sender: 'alice', paras: [{ room, $what$: 'darn' }] }
    const sent = await gateway.admin('POST', '/messages/batch', batch)
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    const history = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    assert.equal(history.body.result.data[0].message, 'oh ****')
  })

  test('a change holds at once on every gateway; what is no list of words masks nothing', async () => {
    const other = await gateway.another()
    for (const [keywords, wanted] of [
      [['one'], '*** two'],
      [['two'], 'one ***'],
      [[], 'one two'],
      ['one', 'one two'],
    ] as const) {
      await set({ censorship: { keywords } })
      assert.equal((await send('one two', other)).message, wanted)
      assert.equal((await send('one two')).message, wanted)
    }
    await gateway.admin('DELETE', '/config/censorship')
    assert.equal((await send('one two', other)).message, 'one two')
    await other.stop()
  })

  test('10,000 words are no hindrance', async () => {
    await set({ censorship: { keywords: Array.from({ length: 10_000 }, (_, i) => `word${i}`) } })
    assert.equal((await send('a word9999 b word10000')).message, 'a ******** b word10000')
  })
})
