import assert from 'node:assert/strict'
import { createECDH } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type PushServiceDouble, startPushService } from '../doubles/push-service.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('Web Push', () => {
  let platform: PushPlatform
  let service: PushServiceDouble
  beforeAll(async () => {
    ;[platform, service] = await Promise.all([startPushPlatform(), startPushService()])
    await platform.startPush({ PARLEY_PUSH_WEB_SUBJECT: 'mailto:push@example.com', PARLEY_PUSH_PROBE_MS: '300' })
  })
  afterAll(() => Promise.all([platform.stop(), service.stop()]))
  beforeEach(() => {
    service.pushes = []
    service.behave = () => undefined
  })

  const keyFor = async (user: string) => String((await platform.as(user, 'GET', '/me/webPushKey'))['publicKey'])
  async function subscribe(user: string, key?: string): Promise<string> {
    const token = service.subscribe(key ?? (await keyFor(user)))
    await platform.as(user, 'POST', '/me/subscribe', { type: 'web', token, deviceId: 'browser' })
    return new URL((JSON.parse(token) as { endpoint: string }).endpoint).pathname
  }
  const pushTo = (clients: readonly string[], payload: object = { title: 'Sale', body: 'Half price' }) =>
    platform.admin('POST', '/push/push2clients', { clients, payload })
  const taken = (path: string) => service.pushes.filter((push) => push.path === path && push.status === 201)
  const isSubscribed = async (user: string) =>
    (await findDevicesOfUsers(platform.db, platform.app, [user])).length === 1

  test("a message reaches the browser encrypted and signed with the app's key, with TTL and topic", async () => {
    const [alice, bob] = [await platform.newUser([], { nickname: 'Alice' }), await platform.newUser()]
    const path = await subscribe(bob)
    assert.equal(await keyFor(alice), await keyFor(bob), 'one key per app')
    const room = await platform.newRoom([alice, bob])
    const messageID = await platform.send(room, alice, { message: 'héllo' })
    await eventually('the push', () => taken(path).length === 1)
    const [{ said, headers } = assert.fail()] = taken(path)
    const { locArgs, ...rest } = said
    assert.deepEqual([locArgs[0], locArgs[2]], ['Alice', 'héllo'])
    assert.deepEqual(rest, { room, messageID, messageType: 'text', locKey: 'im_loc_text', badge: 1 })
    assert.ok(Number(headers['ttl']) > 86_000, String(headers['ttl']))
    await pushTo([bob], { title: 'Sale', collapseKey: 'sale' })
    await pushTo([bob], { title: 'Sale!', collapseKey: 'sale' })
    await eventually('both', () => taken(path).length === 3)
    const [first, ...collapsed] = taken(path).map((push) => push.headers['topic'])
    assert.equal(new Set(collapsed).size, 1)
    assert.notEqual(first, collapsed[0])

    const idOf = async (message: string) => {
      const { devices } = await platform.admin('GET', `/admin/push/why?message=${message}&client=${bob}`)
      const [device] = devices as { outcome: string; id?: string }[]
      return device?.outcome === 'sent' && [device.id]
    }
    await eventually('its ID', async () => /\/m\//.test(String(await idOf(messageID))))
    service.behave = () => ({ status: 201, headers: { location: `https://x/${'x'.repeat(2_000)}` } })
    const another = await platform.send(room, alice, { message: 'its ID is too long' })
    await eventually('it has none', async () => isDeepStrictEqual(await idOf(another), [undefined]))
  })

  test('404 and 410 end a subscription; 403 ends one of another key once another push is accepted; 503 is retried', async () => {
    const [gone, foreign, bob] = [await platform.newUser(), await platform.newUser(), await platform.newUser()]
    const path = await subscribe(gone)
    await subscribe(foreign, 'another key')
    const good = await subscribe(bob)
    service.behave = (push) => {
      if (push.path === path) return { status: 410 }
      return service.pushes.length < 3 ? { status: 503 } : undefined
    }
    await pushTo([gone, foreign, bob])
    await eventually('the push', () => taken(good).length === 1)
    await eventually('both subscriptions are ended', async () => {
      await pushTo([bob])
      return !(await isSubscribed(gone)) && !(await isSubscribed(foreign))
    })
    assert.ok(await isSubscribed(bob))
  })

  test('with keys that match hardly any subscription, sending stops and no subscription is removed', async () => {
    const users = await Promise.all(Array.from({ length: 22 }, () => platform.newUser()))
    for (const user of users) await subscribe(user)
    service.behave = () => ({ status: 403 })
    await pushTo(users)
    await eventually('the app is stopped', async () => {
      const { alerts } = (await platform.admin('GET', '/admin/overview')) as { alerts: { reason: string }[] }
      return alerts.some(({ reason }) => reason.startsWith('Web Push rejects nearly all devices'))
    })
    service.behave = () => undefined
    await eventually('all pushes', () => service.pushes.filter(({ status }) => status === 201).length >= users.length)
    for (const user of users) assert.ok(await isSubscribed(user))
  })

  test('a subscription with a wrong endpoint or key is refused', async () => {
    const bob = await platform.newUser()
    const token = service.subscribe(await keyFor(bob))
    const withKey = (key: string) => token.replace(/(?<="p256dh":")[^"]+/, key)
    const offCurve = Buffer.alloc(65, 1).fill(4, 0, 1).toString('base64url')
    const hybrid = createECDH('prime256v1').generateKeys('base64url', 'hybrid')
    for (const wrong of [
      ...['x', token.replace('https:', 'http:'), token.replace('p256dh', 'p')],
      ...[withKey(offCurve), withKey(hybrid)],
    ]) {
      const subscribing = platform.as(bob, 'POST', '/me/subscribe', { type: 'web', token: wrong, deviceId: 'b' })
      await assert.rejects(subscribing, /INVALID_REQUEST|400/)
    }
  })
})
