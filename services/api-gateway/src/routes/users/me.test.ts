import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { proves } from '@parley/conformance/proves'
import { key } from '@parley/db/keys'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let alice: TestUser
const phone = { 'im-device-id': 'phone' }

beforeAll(async () => {
  gateway = await startTestGateway()
  alice = await gateway.newUser('alice', { nickname: 'Alice', isAdmin: true })
})
afterAll(() => gateway.stop())

describe('GET /me', () => {
  test('returns the caller, without the fields for API keys', async () => {
    const { body } = await alice.call('GET', '/me')
    assert.partialDeepStrictEqual(body.result, { _id: 'alice', nickname: 'Alice', mute: [] })
    assert.equal('isAdmin' in body.result || 'token' in body.result, false)
  })
})

describe('/me/pref', () => {
  const awkward = ['theme', '__proto__', 'a.b', '$where', 'constructor', 'a/b ü 😀']

  for (const key of awkward) {
    test(`POST /me/pref/${key} sets it and emits myPrefChange to the other devices`, async () => {
      const heard = await gateway.hear()
      const data = { dark: true, list: [1, null] }
      const set = await alice.call('POST', `/me/pref/${encodeURIComponent(key)}`, { data }, phone)
      assert.equal(set.status, 200, JSON.stringify(set.body))
      assert.deepEqual(set.body.result, { key, data })
      const { payload, to, incoming } = await heard.next(
        'myPrefChange',
        (change: { key: string }) => change.key === key,
      )
      assert.deepEqual(payload, { data, key })
      assert.deepEqual(to, { app: gateway.app, user: 'alice' })
      assert.equal(incoming.exceptDevice, 'phone')
      const { body } = await alice.call('GET', '/me/pref')
      assert.deepEqual(Object.getOwnPropertyDescriptor(body.result, key)?.value, data)
    })

    test(`DELETE /me/pref/${key} deletes it and emits myPrefDelete with the bare key`, async () => {
      const heard = await gateway.hear()
      const path = `/me/pref/${encodeURIComponent(key)}`
      assert.deepEqual((await alice.call('DELETE', path, undefined, phone)).body.result, {})
      const { payload, incoming } = await heard.next('myPrefDelete')
      assert.equal(payload, key)
      assert.equal(incoming.exceptDevice, 'phone')
      const { status, body } = await alice.call('DELETE', path)
      assert.deepEqual([status, body.error.code], [404, 'PREF_NOT_FOUND'])
    })
  }

  test('a value over 16 KiB, no value, and a key over 128 characters are refused', async () => {
    const big = await alice.call('POST', '/me/pref/big', { data: 'x'.repeat(16 * 1024) })
    assert.deepEqual([big.status, big.body.error.code], [400, 'INVALID_REQUEST'])
    const none = await alice.call('POST', '/me/pref/none', {})
    assert.deepEqual([none.status, none.body.error.code], [400, 'MISSING_PARAMETER'])
    const long = await alice.call('POST', `/me/pref/${'x'.repeat(129)}`, { data: 1 })
    assert.deepEqual([long.status, long.body.error.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual((await alice.call('GET', '/me/pref')).body.result, {})
  })
})

describe('a user with the maximum number of preferences', () => {
  test('can set existing ones but no new one, even concurrently: 409 TOO_MANY_PREFS until one is deleted', async () => {
    const { db } = gateway.chat
    const user = await gateway.newUser()
    const set = (name: string) => user.call('POST', `/me/pref/${name}`, { data: 2 })
    const there = Array.from({ length: 999 }, (_, i) => `p${i}`)
    const userKey = key(gateway.app, user.id)
    await db.prefs.insertMany(there.map((name) => ({ _id: key(gateway.app, user.id, name), userKey, name, json: '1' })))
    const statuses = (await Promise.all(['a', 'b', 'c'].map(set))).map(({ status }) => status)
    assert.deepEqual(
      statuses.toSorted((a, b) => a - b),
      [200, 409, 409],
    )
    const refused = await set('another')
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'TOO_MANY_PREFS'])
    assert.match(refused.body.error.message, /^key: /)
    assert.equal((await set('p1')).status, 200)
    await user.call('DELETE', '/me/pref/p2')
    assert.equal((await set('another')).status, 200)
  })
})

describe('POST /me/subscribe', () => {
  const devices = () =>
    gateway.chat.db.devices
      .find({ app: gateway.app })
      .project({ _id: 0, user: 1, device: 1, type: 1, token: 1 })
      .toArray()

  test('registers a device; a device has one token, and a token one device', async () => {
    proves('POST /me/subscribe', 'body.type', 'body.token', 'body.deviceId', 'type ios', 'type of the Android network')
    const bob = await gateway.newUser('bob')
    const ios = await alice.call('POST', '/me/subscribe', { type: 'ios', token: 'aa', deviceId: 'd1' })
    assert.equal(ios.status, 200)
    await alice.call('POST', '/me/subscribe', { type: 'ios', token: 'bb', deviceId: 'd1' })
    await alice.call('POST', '/me/subscribe', { type: 'fcm', token: 'cc', deviceId: 'd2' })
    await bob.call('POST', '/me/subscribe', { type: 'fcm', token: 'cc', deviceId: 'd2' })
    assert.deepEqual(await devices(), [
      { user: 'alice', device: 'd1', type: 'ios', token: 'bb' },
      { user: 'bob', device: 'd2', type: 'fcm', token: 'cc' },
    ])
  })

  test('a bad type is 400 INVALID_REQUEST, a missing field 400 MISSING_PARAMETER', async () => {
    const bad = await alice.call('POST', '/me/subscribe', { type: 'apns', token: 'x', deviceId: 'd' })
    assert.deepEqual([bad.status, bad.body.error.code], [400, 'INVALID_REQUEST'])
    assert.match(bad.body.error.message, /type/)
    const none = await alice.call('POST', '/me/subscribe', { type: 'ios', token: 'x' })
    assert.deepEqual([none.status, none.body.error.code], [400, 'MISSING_PARAMETER'])
    const wrong = await alice.call('POST', '/me/subscribe', {}, { 'im-authorization': 'wrong' })
    assert.deepEqual([wrong.status, wrong.body.error.code], [401, 'INVALID_TOKEN'])
  })

  test('a Web Push subscription has one device, however its JSON is written and whatever its keys are', async () => {
    const [eve, finn] = [await gateway.newUser(), await gateway.newUser()]
    const endpoint = `https://push.example/${eve.id}`
    const keysOf = () => {
      const ecdh = createECDH('prime256v1')
      return { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') }
    }
    const keys = keysOf()
    const subscribe = async (user: TestUser, subscription: object, deviceId: string, space?: number) => {
      const token = JSON.stringify(subscription, null, space)
      assert.equal((await user.call('POST', '/me/subscribe', { type: 'web', token, deviceId })).status, 200)
      return token
    }
    const devicesOf = async (user: TestUser) =>
      (await devices()).filter((one) => one.user === user.id).map(({ device }) => device)
    await subscribe(eve, { endpoint, keys }, 'one')
    await subscribe(eve, { expirationTime: null, keys, endpoint }, 'two')
    assert.deepEqual(await devicesOf(eve), ['two'])
    await subscribe(eve, { endpoint, keys: keysOf() }, 'two', 2)
    await subscribe(finn, { endpoint, keys: keysOf() }, 'one')
    assert.deepEqual([await devicesOf(eve), await devicesOf(finn)], [[], ['one']])
    const token = JSON.stringify({ keys, endpoint })
    assert.equal((await eve.call('POST', '/me/unsubscribe', { token })).body.result.removed, 0)
    assert.equal((await finn.call('POST', '/me/unsubscribe', { token })).body.result.removed, 1)
    assert.deepEqual(await devicesOf(finn), [])
  })

  test('POST /me/unsubscribe takes deviceId or token; with neither, it removes all of the caller’s devices', async () => {
    proves('POST /me/unsubscribe', 'unregisters the device token')
    const carl = await gateway.newUser('carl')
    for (const id of ['1', '2', '3', '4']) {
      await carl.call('POST', '/me/subscribe', { type: 'fcm', token: `t${id}`, deviceId: id })
    }
    const before = (await devices()).length
    assert.deepEqual((await carl.call('POST', '/me/unsubscribe', { deviceId: '1' })).body.result, { removed: 1 })
    assert.deepEqual((await carl.call('POST', '/me/unsubscribe', { token: 't2' })).body.result, { removed: 1 })
    assert.deepEqual((await alice.call('POST', '/me/unsubscribe', { token: 't3' })).body.result, { removed: 0 })
    assert.deepEqual((await carl.call('POST', '/me/unsubscribe')).body.result, { removed: 2 })
    assert.equal((await devices()).length, before - 4)
  })
  test('a user has at most 100 devices: a new one replaces the longest unused', async () => {
    const dora = await gateway.newUser('dora')
    const ids = Array.from({ length: 101 }, (_, i) => `phone${i}`)
    for (const id of ids) {
      const { status } = await dora.call('POST', '/me/subscribe', { type: 'fcm', token: `dora ${id}`, deviceId: id })
      assert.equal(status, 200)
    }
    const left = (await devices()).filter(({ user }) => user === 'dora').map(({ device }) => device)
    assert.deepEqual(new Set(left), new Set(ids.slice(1)))
    assert.deepEqual((await dora.call('POST', '/me/unsubscribe', {})).body.result, { removed: 100 })
  })

  test('if a user has more devices than the limit, the 100 last used count, and the next registration drops the rest', async () => {
    const { app, chat } = gateway
    const eric = await gateway.newUser('eric')
    await gateway.newUser('fay')
    const stored = (user: string, count: number) =>
      Array.from({ length: count }, (_, i) => {
        const device = `d${i}`
        const of = { app, user, userKey: key(app, user), device, type: 'fcm' as const, token: `${user} ${i}` }
        return { _id: key(app, user, device), ...of, updatedAt: new Date(1_000_000 - i) }
      })
    await chat.db.devices.insertMany([...stored('eric', 350), ...stored('fay', 2)])
    const found = await findDevicesOfUsers(chat.db, app, ['eric', 'fay', 'nobody'])
    const of = (user: string) => found.filter((device) => device.user === user).map(({ device }) => device)
    const newest = Array.from({ length: 100 }, (_, i) => `d${i}`)
    assert.deepEqual([of('eric').toSorted(), of('fay').toSorted()], [newest.toSorted(), ['d0', 'd1']])

    await eric.call('POST', '/me/subscribe', { type: 'fcm', token: 'new', deviceId: 'new' })
    const left = (await devices()).filter(({ user }) => user === 'eric').map(({ device }) => device)
    assert.deepEqual(new Set(left), new Set([...newest.slice(0, 99), 'new']))
  })
})
