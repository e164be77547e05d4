import assert from 'node:assert/strict'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type HmsDouble, startHms } from '../doubles/hms.ts'
import { type RelayDouble, startRelay } from '../doubles/relay.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

type Type = 'hms' | 'relay'

describe("Huawei's Push Kit, and a relay", () => {
  let platform: PushPlatform
  let hms: HmsDouble
  let relay: RelayDouble
  beforeAll(async () => {
    ;[platform, hms, relay] = await Promise.all([startPushPlatform(), startHms(), startRelay()])
    relay.secret = (await platform.db.apps.findOne({ _id: platform.app }))?.webhookSecret ?? ''
    await platform.startPush({ ...hms.env, ...relay.env, PARLEY_PUSH_PROBE_MS: '300' })
  })
  afterAll(() => Promise.all([platform.stop(), hms.stop(), relay.stop()]))
  beforeEach(() => {
    for (const network of [hms, relay]) {
      network.pushes = []
      network.behave = () => undefined
    }
  })

  async function newUser(type: Type): Promise<string> {
    const user = await platform.newUser()
    await platform.as(user, 'POST', '/me/subscribe', { type, token: `${user}-${type}`, deviceId: type })
    return user
  }
  const isSubscribed = async (user: string) => (await findDevicesOfUsers(platform.db, platform.app, [user])).length > 0
  const pushTo = (clients: readonly string[], payload: object = { title: 'Sale', body: 'Half price' }) =>
    platform.admin('POST', '/push/push2clients', { clients, payload })
  const taken = {
    hms: (user: string) => hms.pushes.filter(({ token, code }) => token === `${user}-hms` && code === '80000000'),
    relay: (user: string) =>
      relay.pushes.filter(({ body, status = 0 }) => body.token === `${user}-relay` && status < 300 && status > 0),
  }
  /** Makes the double refuse pushes to these users and accept others. */
  const refuse = (
    type: Type,
    users: readonly string[],
    how: { status?: number; reason?: string; headers?: Record<string, string> },
  ) => {
    const tokens = new Set(users.map((user) => `${user}-${type}`))
    hms.behave = ({ token }) => (tokens.has(token) ? how : undefined)
    relay.behave = ({ body }) => (tokens.has(body.token) ? how : undefined)
  }

  test('Push Kit gets a title, a localized text key and the data to open the message', async () => {
    const [alice, bob] = [await platform.newUser([], { nickname: 'Alice' }), await newUser('hms')]
    const room = await platform.newRoom([alice, bob], { name: 'Team' })
    const messageID = await platform.send(room, alice, { message: 'héllo' })
    await eventually('the push', () => taken.hms(bob).length === 1)
    const [{ message } = assert.fail()] = taken.hms(bob)
    assert.deepEqual(JSON.parse(message.data), { room, messageID, messageType: 'text' })
    assert.deepEqual(message.android.notification, {
      ...{ title: 'Alice', body: 'héllo', body_loc_key: 'im_loc_text', body_loc_args: ['Alice', 'Team', 'héllo'] },
      ...{ click_action: { type: 3 }, tag: messageID, badge: { class: 'org.example.MainActivity', set_num: 1 } },
    })
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message: messageID })
    await eventually('the silent push', () => taken.hms(bob).length === 2)
    const silent = taken.hms(bob)[1]?.message
    assert.deepEqual(JSON.parse(silent.data), { type: 'read', rooms: [room], threads: [], messages: [], badge: 0 })
    assert.equal(silent.android.notification, undefined)
  })

  test('the relay gets a signed call with the same webhook-id on every attempt', async () => {
    const [alice, bob] = [await platform.newUser([], { nickname: 'Alice' }), await newUser('relay')]
    const room = await platform.newRoom([alice, bob])
    relay.behave = () => (relay.pushes.length === 1 ? { status: 503, headers: { 'retry-after': '0' } } : undefined)
    const messageID = await platform.send(room, alice, { message: 'héllo' })
    await eventually('the push', () => taken.relay(bob).length === 1)
    const [{ body, id } = assert.fail()] = taken.relay(bob)
    const { push, ...about } = body
    assert.deepEqual(about, { appID: platform.app, clientID: bob, deviceId: 'relay', token: `${bob}-relay` })
    assert.deepEqual([push.room, push.messageID, push.locArgs.at(-1), push.badge], [room, messageID, 'héllo', 1])
    assert.deepEqual(
      relay.pushes.map((one) => one.id),
      [id, id],
    )
  })

  test('an expired access token of Push Kit is replaced', async () => {
    const bob = await newUser('hms')
    await pushTo([bob])
    await eventually('the first', () => taken.hms(bob).length === 1)
    const { grants } = hms
    hms.expireTokens()
    await pushTo([bob])
    await eventually('the second', () => taken.hms(bob).length === 2)
    assert.equal(hms.grants, grants + 1)
  })

  test('the overview has the error of refused credentials until they are accepted', async () => {
    const bob = await newUser('hms')
    refuse('hms', [bob], { reason: '80600003' })
    await pushTo([bob])
    await eventually('the error', async () => (await platform.shownOf('hms')) === 'refused: 80600003')
    refuse('hms', [], {})
    await eventually('no error', async () => (await platform.shownOf('hms')) === 'accepted')
  })

  test.each([
    ['hms', { reason: '80300007' }],
    ['relay', { status: 410 }],
  ] as const)('%s: a token of no use ends once another push of the app was taken: %j', async (type, how) => {
    const [gone, bob] = [await newUser(type), await newUser(type)]
    refuse(type, [gone], how)
    await pushTo([gone])
    await eventually('it is ended', async () => {
      await pushTo([bob])
      return !(await isSubscribed(gone))
    })
    assert.ok(await isSubscribed(bob))
  })

  test('a device has the error of its last push until one is accepted', async () => {
    const bob = await newUser('relay')
    const errors = async () => {
      const { data } = await platform.admin('GET', `/admin/push/devices?client=${bob}`)
      return (data as { lastError?: { reason: string; atMS: number } }[]).map(({ lastError }) => lastError?.reason)
    }
    refuse('relay', [bob], { status: 400 })
    await pushTo([bob])
    await eventually('it is noted', async () => (await errors())[0] === '400')
    refuse('relay', [], {})
    await pushTo([bob])
    await eventually('it has ended', async () => (await errors())[0] === undefined)
    assert.equal(taken.relay(bob).length, 1)
    assert.ok(await isSubscribed(bob))
  })

  test.each([
    ['hms', { status: 503, reason: '', headers: { 'retry-after': '1' } }],
    ['relay', { status: 429, headers: { 'retry-after': '1' } }],
  ] as const)('%s: a limited rate delays a push: %j', async (type, how) => {
    const bob = await newUser(type)
    refuse(type, [bob], how)
    await pushTo([bob])
    const { pushes } = type === 'hms' ? hms : relay
    await eventually('it is refused', () => pushes.length > 0)
    refuse(type, [], how)
    await eventually('it is taken', () => taken[type](bob).length === 1)
  })

  test.each([
    ['hms', { reason: '80300007' }, 'Huawei Push Kit'],
    ['relay', { status: 410 }, 'the relay'],
  ] as const)(
    '%s: if nearly every token is refused, sending stops and no device is removed',
    async (type, how, name) => {
      const users = await Promise.all(Array.from({ length: 22 }, () => newUser(type)))
      refuse(type, users, how)
      await pushTo(users)
      await eventually('the app is stopped', async () => {
        const { alerts } = (await platform.admin('GET', '/admin/overview')) as { alerts: { reason: string }[] }
        return alerts.some(({ reason }) => reason.startsWith(`${name} rejects nearly all devices`))
      })
      refuse(type, [], how)
      await eventually('all pushes', () => users.every((user) => taken[type](user).length === 1))
      for (const user of users) assert.ok(await isSubscribed(user))
    },
  )
})

describe('a relay at a private address', () => {
  test('is never called, and the network’s state shows why', async () => {
    const [platform, relay] = await Promise.all([startPushPlatform(), startRelay()])
    try {
      await platform.startPush({ ...relay.env, PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'false' })
      const bob = await platform.newUser()
      await platform.as(bob, 'POST', '/me/subscribe', { type: 'relay', token: 'x', deviceId: 'relay' })
      await platform.admin('POST', '/push/push2clients', { clients: [bob], payload: { title: 'x' } })
      await eventually('it is refused', async () => (await platform.shownOf('relay')) === 'refused: private target')
      assert.deepEqual(relay.pushes, [])
    } finally {
      await Promise.all([platform.stop(), relay.stop()])
    }
  })
})
