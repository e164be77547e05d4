import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { findConfigVersions } from '@parley/db/apps/config'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let alice: TestUser
let room: string

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice')
  room = await gateway.newRoom([alice])
})
afterAll(() => gateway.stop())
beforeEach(() => gateway.chat.db.config.deleteMany({}))

const set = (body: unknown) => gateway.admin('POST', '/config', body)
const get = async () => (await alice.call('GET', '/config')).body.result

describe('POST /config', () => {
  test('config key: any → set to the given value, the same key is overwritten and others stay', async () => {
    proves('POST /config', 'result is the configuration settings', 'each key is stored, any name and any value')
    proves('POST /config', 'an existing key of the same name is overwritten', 'changes are immediate')
    proves('Config', 'values of any JSON')
    proves('Config key transitions', 'any → set to the given value, the same key is overwritten')
    const first = await set({ announcement: 'Hi', featureFlags: { a: true, b: [1, null, { c: 0.5 }] } })
    assert.equal(first.status, 200)
    assert.deepEqual(first.body.result, { announcement: 'Hi', featureFlags: { a: true, b: [1, null, { c: 0.5 }] } })
    const second = await set({ announcement: null })
    assert.deepEqual(second.body.result, { announcement: null, featureFlags: { a: true, b: [1, null, { c: 0.5 }] } })
    assert.deepEqual(await get(), second.body.result)
  })

  test('__proto__, constructor and keys with $ or . are ordinary keys', async () => {
    proves('Config', 'any key name')
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

  test('a key of 128 characters outside the BMP is set and removed', async () => {
    const key = '🙂'.repeat(128)
    assert.deepEqual((await set({ [key]: 1 })).body.result, { [key]: 1 })
    assert.equal((await gateway.admin('DELETE', `/config/${encodeURIComponent(key)}`)).status, 200)
    assert.deepEqual(await get(), {})
  })

  test('a body that is not a JSON object is 400 INVALID_BODY, as is a key that is empty or over 128 characters', async () => {
    proves('POST /config', '400 INVALID_BODY')
    for (const body of ['[]', '"x"', '7', 'null', '{"a":', `{"${'k'.repeat(129)}":1}`, '{"":1}']) {
      const { status, body: refused } = await set(body)
      assert.deepEqual([status, refused.error?.code], [400, 'INVALID_BODY'], body)
    }
    assert.deepEqual(await get(), {})
  })

  test('all values together are limited to 4 MiB: more is 413 BODY_TOO_LARGE and changes nothing', async () => {
    const large = 'x'.repeat(1_000_000)
    for (let i = 0; i < 4; i++) assert.equal((await set({ [`key ${i}`]: large })).status, 200)
    const { status, body } = await set({ 'key 4': large })
    assert.deepEqual([status, body.error?.code], [413, 'BODY_TOO_LARGE'])
    assert.equal((await set({ 'key 3': large, small: 1 })).status, 200)
    assert.deepEqual(Object.keys(await get()), ['key 0', 'key 1', 'key 2', 'key 3', 'small'])
  })

  test('an app has at most 10,000 keys, whose names count too', async () => {
    const { chat, app } = gateway
    const docOf = (name: string) => ({ _id: key(app, name), app, name, json: '0', version: '' })
    await chat.db.config.insertMany(Array.from({ length: 10_000 }, (_, i) => docOf(`k${i}`)))
    assert.equal((await set({ k0: 1 })).status, 200)
    const { status, body } = await set({ another: 1 })
    assert.deepEqual([status, body.error?.code], [413, 'BODY_TOO_LARGE'])
    assert.match(body.error.message, /10000 keys/)
    await chat.db.config.deleteMany({})
    await chat.db.config.insertOne({ ...docOf('large'), json: JSON.stringify('x'.repeat(4 * 1024 * 1024 - 100)) })
    assert.equal((await set({ ['k'.repeat(100)]: 0 })).body.error?.code, 'BODY_TOO_LARGE')
    assert.equal((await set({ k: 0 })).status, 200)
  })
})

describe('DELETE /config/{key}', () => {
  test('config key: present → absent; again is 404 CONFIG_NOT_FOUND', async () => {
    proves('DELETE /config/{key}', 'result is an empty object', 'removes the whole key', '404 CONFIG_NOT_FOUND')
    proves('Config key transitions', 'present → absent, then 404 CONFIG_NOT_FOUND')
    await set({ 'a/b': 1, c: 2 })
    const removed = await gateway.admin('DELETE', '/config/a%2Fb')
    assert.deepEqual([removed.status, removed.body.result], [200, {}])
    assert.deepEqual(await get(), { c: 2 })
    const again = await gateway.admin('DELETE', '/config/a%2Fb')
    assert.deepEqual([again.status, again.body.error.code], [404, 'CONFIG_NOT_FOUND'])
  })
})

describe('GET /config', () => {
  test('accepts client headers or the admin header and returns all keys; without either it is 401', async () => {
    proves('GET /config', 'clients read the current configuration')
    await set({ a: 1 })
    assert.deepEqual((await gateway.admin('GET', '/config')).body.result, { a: 1 })
    assert.deepEqual(await get(), { a: 1 })
    const codeWith = async (headers: Record<string, string>) => {
      const { status, body } = await gateway.anonymous('GET', '/config', undefined, headers)
      return [status, body.error.code]
    }
    assert.deepEqual(await codeWith({}), [401, 'INVALID_API_KEY'])
    assert.deepEqual(await codeWith({ 'im-api-key': 'wrong' }), [401, 'INVALID_API_KEY'])
    assert.deepEqual(await codeWith({ 'im-authorization': alice.token }), [401, 'INVALID_CLIENT_KEY'])
    const emptyKey = { 'im-api-key': '' }
    assert.deepEqual((await alice.call('GET', '/config', undefined, emptyKey)).body.result, { a: 1 })
    assert.deepEqual(await codeWith(emptyKey), [401, 'INVALID_API_KEY'])
  })
})

describe('config key censorship', () => {
  const send = async (message: unknown, by: TestGateway = gateway) =>
    (await by.admin('POST', '/messages', { room, sender: 'alice', message, messageType: 'text' })).body.result

  test('a listed word is masked before it is stored, in any case, but only as a whole word', async () => {
    await set({ censorship: { keywords: ['darn', 'bad word', 'c++', '傻瓜', 'ÄRGER'] } })
    const sent = await send('DARN, darning is no bad  word but a Bad Word; c++ 你是傻瓜吗 ärger')
    assert.equal(sent.message, '****, darning is no bad  word but a ********; *** 你是**吗 *****')
    const history = await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)
    assert.equal(history.body.result.data[0].message, sent.message)
    const tried = await gateway.admin('GET', `/admin/censorship?text=${encodeURIComponent('Darn, a BAD word')}`)
    assert.deepEqual(tried.body.result, { text: '****, a ********' })
  })

  test('it applies to text fields, edits and batches, but not to other content', async () => {
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

  test('a change applies at once on every gateway; a value that is not a list of words masks nothing', async () => {
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

  test('10,000 words are accepted; more are 400 INVALID_BODY and change nothing', async () => {
    await set({ censorship: { keywords: words(10_000) } })
    assert.equal((await send('a word9999 b word10000')).message, 'a ******** b word10000')
    const { status, body } = await set({ announcement: 'x', censorship: { keywords: words(10_001) } })
    assert.deepEqual([status, body.error?.code], [400, 'INVALID_BODY'])
    assert.match(body.error.message, /^censorship\.keywords: .*10000/)
    assert.equal((await get()).censorship.keywords.length, 10_000)
    assert.equal((await get()).announcement, undefined)
  })

  test('the word automaton is built once per change, not per batch', async () => {
    const { censor, db } = gateway.chat
    const versions = () => findConfigVersions(db, [gateway.app], 'censorship')
    await set({ censorship: { keywords: ['one'] } })
    const [first, same] = await Promise.all([censor.masks(await versions()), censor.masks(await versions())])
    assert.ok(first.get(gateway.app))
    assert.equal(same.get(gateway.app), first.get(gateway.app))
    assert.equal((await censor.masks(await versions())).get(gateway.app), first.get(gateway.app))
    await set({ announcement: 'another key' })
    assert.equal((await censor.masks(await versions())).get(gateway.app), first.get(gateway.app))
    await set({ censorship: { keywords: ['one'] } })
    assert.notEqual((await censor.masks(await versions())).get(gateway.app), first.get(gateway.app))
  })

  const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`)
})

describe('config keys privateKeys and webhookKeys', () => {
  test('users do not see the keys in privateKeys, by default MODERATE and webhookKeys, nor ever the url of directory', async () => {
    const shown = async () => Object.keys((await alice.call('GET', '/config')).body.result)
    await set({ secret: 1, webhookKeys: { crm: 'https://crm.example/hook' } })
    assert.ok((await shown()).includes('secret') && !(await shown()).includes('webhookKeys'))
    await set({ directory: { url: 'https://crm.example/find' } })
    assert.deepEqual((await alice.call('GET', '/config')).body.result.directory, {})
    await gateway.admin('DELETE', '/config/directory')
    await set({ privateKeys: ['secret', 'privateKeys', 'webhookKeys'] })
    for (const key of ['secret', 'privateKeys', 'webhookKeys']) assert.ok(!(await shown()).includes(key), key)
    const all = (await gateway.admin('GET', '/config')).body.result
    assert.ok(Object.hasOwn(all, 'secret'), 'the API key sees all')
    for (const bad of ['x', [1], { a: 1 }]) {
      assert.deepEqual((await set({ privateKeys: bad })).body.error.code, 'INVALID_BODY')
    }
    assert.equal((await set({ webhookKeys: { crm: 'ftp://x' } })).body.error.code, 'INVALID_BODY')
    await gateway.admin('DELETE', '/config/privateKeys')
  })

  test('a webhook is an http(s) URL or a key of webhookKeys: else 400 INVALID_REQUEST naming it', async () => {
    await set({ webhookKeys: { crm: 'https://crm.example/hook' } })
    for (const webhook of ['crm', 'https://x.example/y', '']) {
      const { status, body } = await gateway.admin('PUT', `/rooms/${room}`, { webhook })
      assert.deepEqual([status, body.result?.webhook], [200, webhook])
    }
    for (const webhook of ['none', 'ftp://x', 'javascript:alert(1)', '__proto__', 'constructor']) {
      for (const [method, path, more] of [
        ['PUT', `/rooms/${room}`, {}],
        ['POST', '/rooms/', { roomType: 'group', members: ['alice'] }],
      ] as const) {
        const { status, body } = await gateway.admin(method, path, { ...more, webhook })
        assert.deepEqual([status, body.error?.code], [400, 'INVALID_REQUEST'], webhook)
        assert.ok(String(body.error.message).includes(webhook))
      }
    }
  })
})
