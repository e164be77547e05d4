import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { proves } from '@parley/conformance/proves'
import { key } from '@parley/db/keys'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { apnsTopic } from '../doubles/apns.ts'
import { eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

const otherTopic = 'com.example.other'

/** The timeout of a network's response: longer than any stall of these processes on an overloaded machine. */
const networkTimeoutMS = 15_000
const probeMS = 300
const concurrency = 20

describe('push networks', () => {
  let platform: PushPlatform
  let push: RunningService

  beforeAll(async () => {
    platform = await startPushPlatform()
    push = await platform.startPush({
      PARLEY_PUSH_NETWORK_TIMEOUT_MS: String(networkTimeoutMS),
      PARLEY_PUSH_PROBE_MS: String(probeMS),
      PARLEY_PUSH_CONCURRENCY: String(concurrency),
      PARLEY_PUSH_APNS_TOPICS: `${apnsTopic}, ${otherTopic}`,
    })
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    const { apns, fcm } = platform
    apns.pushes = []
    fcm.pushes = []
    apns.behave = () => undefined
    fcm.behave = () => undefined
    fcm.behaveGrant = () => undefined
  })

  const pushTo = (clients: readonly string[], payload: object = { alert: 'hi', body: 'hi' }) =>
    platform.admin('POST', '/push/push2clients', { clients, payload })
  const ios = (user: string) => platform.apns.pushes.filter(({ token }) => token === `${user}-ios`)
  const android = (user: string) => platform.fcm.pushes.filter(({ token }) => token === `${user}-fcm`)
  const taken = (pushes: readonly { status?: number }[]) => pushes.filter(({ status }) => status === 200).length
  const devicesOf = async (user: string) =>
    (await findDevicesOfUsers(platform.db, platform.app, [user])).map(({ type }) => type).toSorted()

  test('POST /push/push2clients: every payload field reaches both networks', async () => {
    proves('POST /push/push2clients', 'reaches the iOS network', 'reaches the Android network', 'payload.type')
    proves('POST /push/push2clients', 'payload.expiry', 'payload.alert', 'payload.alert.loc-key')
    proves('POST /push/push2clients', 'payload.alert.loc-args', 'payload.badge', 'payload.sound', 'payload.topic')
    proves('POST /push/push2clients', 'payload.title', 'payload.body', 'payload.icon', 'payload.collapseKey')
    const bob = await platform.newUser(['ios', 'fcm'])
    const expiry = Math.floor(Date.now() / 1_000) + 600
    await pushTo([bob], {
      ...{ type: 'sale', expiry, badge: 7, sound: 'ping.caf', topic: otherTopic, title: 'Sale', body: 'Half price' },
      ...{ alert: { 'loc-key': 'SALE', 'loc-args': ['Bob', 3] }, icon: 'https://x.org/i.png', collapseKey: 'sale-1' },
    })
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    const [{ payload, headers } = assert.fail()] = ios(bob)
    assert.deepEqual(payload, {
      aps: { alert: { 'loc-key': 'SALE', 'loc-args': ['Bob', 3] }, badge: 7, sound: 'ping.caf' },
      ...{ type: 'sale', icon: 'https://x.org/i.png' },
    })
    assert.equal(headers['apns-topic'], otherTopic)
    assert.equal(headers['apns-expiration'], String(expiry))
    assert.equal(headers['apns-collapse-id'], 'sale-1')
    const [{ message, atMS } = assert.fail()] = android(bob)
    const { ttl, ...rest } = message.android
    const seconds = Number(/^(\d+)s$/.exec(ttl)?.[1])
    assert.ok(seconds <= 600 && seconds >= expiry - atMS / 1_000 - 1, `${ttl}, to end at ${expiry}`)
    assert.deepEqual(
      { ...message, android: rest },
      {
        token: `${bob}-fcm`,
        data: { type: 'sale', topic: otherTopic, icon: 'https://x.org/i.png' },
        android: {
          priority: 'HIGH',
          collapse_key: 'sale-1',
          notification: {
            ...{ title: 'Sale', body: 'Half price', body_loc_key: 'SALE', body_loc_args: ['Bob', '3'] },
            ...{ image: 'https://x.org/i.png', sound: 'ping.caf', notification_count: 7, tag: 'sale-1' },
          },
        },
      },
    )
  })

  test('POST /push/push2clients: a plain text alert; without an alert, title and body form one', async () => {
    proves('POST /push/push2clients', 'payload.alert as plain text')
    const bob = await platform.newUser(['ios', 'fcm'])
    await pushTo([bob], { alert: 'plain' })
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    assert.deepEqual(ios(bob)[0]?.payload.aps.alert, 'plain')
    assert.equal(android(bob)[0]?.message.android.notification.body, 'plain')
    await pushTo([bob], { title: 'T', body: 'B' })
    await eventually('the other push', () => taken(ios(bob)) === 2)
    assert.deepEqual(ios(bob)[1]?.payload.aps.alert, { title: 'T', body: 'B' })
  })

  test('POST /push/push2clients: a user without a registered token receives nothing', async () => {
    proves('POST /push/push2clients', 'who has registered no token receives nothing')
    const [carol, gone, bob] = [
      await platform.newUser(),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
    ]
    await platform.as(gone, 'POST', '/me/unsubscribe')
    await pushTo([carol, gone, bob])
    await eventually('the push to the user with a token', () => taken(ios(bob)) === 1)
    for (const none of [carol, gone]) assert.deepEqual([...ios(none), ...android(none)], [])
    assert.deepEqual(android(bob), [])
  })

  test('tokens that a network rejects as dead are removed, and others are kept', async () => {
    const { apns, fcm } = platform
    const [gone, bad, late, good, browser] = [
      await platform.newUser(['ios', 'fcm']),
      await platform.newUser(['ios', 'fcm']),
      await platform.newUser(['ios', 'fcm']),
      await platform.newUser(['ios', 'fcm']),
      await platform.newUser(['fcm']),
    ]
    const violation = {
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [{ field: 'message.token', description: 'Invalid registration token' }],
    }
    apns.behave = ({ token }) =>
      ({
        [`${gone}-ios`]: { status: 410, reason: 'Unregistered' },
        [`${bad}-ios`]: { status: 400, reason: 'BadDeviceToken' },
        [`${late}-ios`]: { status: 400, reason: 'PayloadEmpty' },
      })[token]
    fcm.behave = ({ token }) =>
      ({
        [`${gone}-fcm`]: { status: 404, reason: 'UNREGISTERED' },
        [`${bad}-fcm`]: {
          status: 400,
          body: JSON.stringify({ error: { status: 'INVALID_ARGUMENT', details: [violation] } }),
        },
        [`${late}-fcm`]: { status: 403, reason: 'SENDER_ID_MISMATCH' },
        [`${browser}-fcm`]: { status: 401, reason: 'THIRD_PARTY_AUTH_ERROR' },
      })[token]
    await pushTo([browser, gone, bad, late, good])
    await eventually('dead tokens are removed, some only after another push was accepted', async () => {
      await pushTo([good])
      const left = [...(await devicesOf(gone)), ...(await devicesOf(bad))]
      return left.length === 0
    })
    for (const reason of ['SENDER_ID_MISMATCH', 'THIRD_PARTY_AUTH_ERROR']) {
      const refused = new RegExp(`^parley_push_results_total\\{.*"fcm".*"refused".*"${reason}"`)
      await eventually(`${reason} is counted`, async () => {
        await pushTo([good])
        return (await platform.metric(push, refused)) === 1
      })
    }
    assert.deepEqual(await devicesOf(late), ['fcm', 'ios'])
    assert.deepEqual(await devicesOf(browser), ['fcm'])
    assert.deepEqual(await devicesOf(good), ['fcm', 'ios'])
    assert.equal(await platform.metric(push, /^parley_push_results_total\{.*"apns".*"Unregistered"/), 1)
    assert.equal(await platform.metric(push, /^parley_push_results_total\{.*"fcm".*"UNREGISTERED"/), 1)
  })

  test('429 and 503 are retried, not earlier than Retry-After', async () => {
    const bob = await platform.newUser(['ios', 'fcm'])
    const { apns, fcm } = platform
    const later = (pushes: unknown[], status: number, reason: string) =>
      pushes.length === 1 ? { status, reason, headers: { 'retry-after': '3' } } : undefined
    apns.behave = () => later(ios(bob), 429, 'TooManyRequests')
    fcm.behave = () => later(android(bob), 503, 'UNAVAILABLE')
    await pushTo([bob])
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    for (const [first, second, ...more] of [ios(bob), android(bob)]) {
      assert.equal(more.length, 0)
      assert.ok(Number(second?.atMS) - Number(first?.atMS) >= 3_000)
    }
  })

  test('500, a broken connection and a missing response are retried with backoff until accepted', async () => {
    const bob = await platform.newUser(['ios', 'fcm'])
    const { apns, fcm } = platform
    const fault = (tries: number) => (['reset', { status: 500, reason: 'INTERNAL' }, 'hang'] as const)[tries - 1]
    apns.behave = () => fault(ios(bob).length)
    fcm.behave = () => fault(android(bob).length)
    await pushTo([bob])
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    for (const pushes of [ios(bob), android(bob)]) {
      assert.equal(pushes.length, 4)
      const [pause1 = 0, pause2 = 0, pause3 = 0] = pushes.slice(1).map(({ atMS }, i) => atMS - Number(pushes[i]?.atMS))
      assert.ok(pause1 >= 750 && pause2 >= 1_500 && pause3 >= 3_000, `${pause1} ${pause2} ${pause3}`)
    }
    assert.equal(new Set(ios(bob).map(({ headers }) => headers['apns-id'])).size, 1, 'one apns-id for all tries')
  })

  test('bad credentials stop a network with a log line and a metric; the other continues, and nothing is lost', async () => {
    const { apns, fcm } = platform
    const users = await Promise.all(Array.from({ length: 30 }, () => platform.newUser(['ios', 'fcm'])))
    apns.behave = () => ({ status: 403, reason: 'InvalidProviderToken' })
    const sinceMS = Date.now()
    const stopped = (network: string) => platform.metric(push, new RegExp(`^parley_push_network_stopped.*"${network}"`))
    await pushTo(users)
    await eventually('all pushes to the other', () => users.every((user) => taken(android(user)) === 1))
    await eventually('the network is stopped', async () => (await stopped('apns')) === 1)
    assert.equal(await stopped('fcm'), 0)
    assert.ok(users.every((user) => taken(ios(user)) === 0))
    // Those in flight at the first refusal, and periodic probes.
    const max = concurrency + 1 + (Date.now() - sinceMS) / probeMS
    assert.ok(apns.pushes.length <= max, `${apns.pushes.length} tries, ${max} at most`)
    const log = await readFile(push.logFile, 'utf8')
    assert.match(log, /"level":50.*"network":"apns".*InvalidProviderToken.*refuses our credentials/)
    const [misled = ''] = users
    await pushTo([misled], { alert: 'hi', topic: 'no header' })
    const ours = /^parley_push_results_total\{.*"apns".*"refused".*"BadTopic"/
    await eventually('what we refuse ourselves', async () => (await platform.metric(push, ours)) === 1)
    assert.doesNotMatch(await readFile(push.logFile, 'utf8'), /accepts our credentials again/)

    apns.behave = () => undefined
    await eventually('all pushes', () => users.every((user) => taken(ios(user)) === 1))
    await eventually('the network goes on', async () => (await stopped('apns')) === 0)
    assert.ok(users.every((user) => taken(android(user)) === (user === misled ? 2 : 1)))

    fcm.revokeTokens()
    fcm.behaveGrant = () => ({ status: 401, reason: 'invalid_client' })
    await pushTo(users)
    await eventually('the other network is stopped', async () => (await stopped('fcm')) === 1)
    await eventually('all pushes to the other', () => users.every((user) => taken(ios(user)) === 2))
    fcm.behaveGrant = () => undefined
    await eventually('all pushes', () => users.every((user) => taken(android(user)) === (user === misled ? 3 : 2)))
  })

  test('a network that rejects nearly all devices of an app is stopped for the app without removing tokens; a probe resumes it', async () => {
    const { apns, fcm } = platform
    const users = await Promise.all(Array.from({ length: 25 }, () => platform.newUser(['ios', 'fcm'])))
    const [bob = ''] = users
    await pushTo([bob])
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    apns.behave = ({ token }) => (token === `${bob}-ios` ? undefined : { status: 400, reason: 'BadDeviceToken' })
    fcm.behave = () => ({ status: 403, reason: 'SENDER_ID_MISMATCH' })
    await pushTo(users)
    const stopped = (network: string) => platform.metric(push, new RegExp(`^parley_push_stopped_apps.*"${network}"`))
    await eventually('both are stopped', async () => (await stopped('apns')) + (await stopped('fcm')) === 2)
    assert.match(await readFile(push.logFile, 'utf8'), /"level":50.*BadDeviceToken.*rejects nearly all devices/)
    await pushTo(users)
    await eventually('the rest waits', async () => (await platform.db.pushes.countDocuments({ isHeld: true })) > 40)
    await eventually('the overview says so', async () => {
      const { alerts } = (await platform.admin('GET', '/admin/overview')) as { alerts: { reason: string }[] }
      return alerts.filter(({ reason }) => reason.includes('nearly all devices of the app')).length === 2
    })

    apns.behave = () => undefined
    fcm.behave = () => undefined
    await eventually('all pushes', () =>
      users.slice(1).every((user) => taken(ios(user)) === 2 && taken(android(user)) === 2),
    )
    assert.equal((await stopped('apns')) + (await stopped('fcm')), 0)
    for (const user of users) assert.deepEqual(await devicesOf(user), ['fcm', 'ios'])
  })

  test('an access token revoked early is replaced', async () => {
    const bob = await platform.newUser(['fcm'])
    await pushTo([bob])
    await eventually('the first push', () => taken(android(bob)) === 1)
    platform.fcm.revokeTokens()
    const { grants } = platform.fcm
    await pushTo([bob])
    await eventually('the second push', () => taken(android(bob)) === 2)
    assert.equal(platform.fcm.grants, grants + 1)
  })

  test('a token of another configured iOS app is sent with its topic, which is remembered', async () => {
    const bob = await platform.newUser(['ios'])
    platform.apns.behave = ({ headers }) =>
      headers['apns-topic'] === otherTopic ? undefined : { status: 400, reason: 'DeviceTokenNotForTopic' }
    await pushTo([bob])
    await eventually('the push', () => taken(ios(bob)) === 1)
    assert.deepEqual(
      ios(bob).map(({ headers }) => headers['apns-topic']),
      [apnsTopic, otherTopic],
    )
    await eventually('the topic is noted', async () => {
      const [device] = await findDevicesOfUsers(platform.db, platform.app, [bob])
      return device?.topic === otherTopic
    })
    await pushTo([bob])
    await eventually('the next push', () => taken(ios(bob)) === 2)
    assert.equal(ios(bob).length, 3)
  })

  test('a waiting push goes to the device’s current owner, and is dropped if its message is recalled', async () => {
    const { fcm } = platform
    const [left, lent, renewed, recalled] = [
      await platform.newUser(['fcm']),
      await platform.newUser(['fcm']),
      await platform.newUser(['fcm']),
      await platform.newUser(['fcm']),
    ]
    const next = await platform.newUser()
    let isAway = true
    fcm.behave = () => (isAway ? { status: 503, reason: 'UNAVAILABLE' } : undefined)
    const all = [left, lent, renewed]
    await pushTo(all)
    const alice = await platform.newUser()
    const room = await platform.newRoom([alice, recalled])
    const message = await platform.send(room, alice, { message: 'a secret' })
    await eventually('all are tried', () => [...all, recalled].every((user) => android(user).length > 0))
    await platform.as(left, 'POST', '/me/unsubscribe')
    await platform.as(next, 'POST', '/me/subscribe', { type: 'fcm', token: `${lent}-fcm`, deviceId: 'phone' })
    const device = { type: 'fcm', token: `${renewed}-new`, deviceId: `fcm of ${renewed}` }
    await platform.as(renewed, 'POST', '/me/subscribe', device)
    const recall = { _id: message, sender: alice, message: '', messageType: 'recall' }
    await platform.admin('POST', `/rooms/${room}/message`, recall)
    await eventually('its text is forgotten', async () => {
      const contents = await platform.db.pushContents.find().toArray()
      return contents.every(({ json }) => !json.includes('a secret'))
    })
    isAway = false
    await eventually('nothing waits', async () => {
      const waiting = { network: 'fcm' as const, dueAtMS: { $exists: true } }
      return (await platform.db.pushes.countDocuments(waiting)) === 0
    })
    const accepted = () => fcm.pushes.flatMap(({ token, status }) => (status === 200 ? [token] : []))
    await eventually('the push to the new token', () => accepted().length > 0)
    await pushTo([next])
    await eventually('the push to the next user', () => accepted().length > 1)
    assert.deepEqual(accepted(), [`${renewed}-new`, `${lent}-fcm`])
  })

  test('content that is empty or not JSON fails only its own pushes', async () => {
    const { db, app } = platform
    const [bob, carol] = [await platform.newUser(['ios', 'fcm']), await platform.newUser(['ios', 'fcm'])]
    const at = new Date()
    for (const [message, json] of Object.entries({ empty: '', half: '{"of":"mess' })) {
      const content = key(app, message)
      await db.pushContents.insertOne({ _id: content, json, at })
      const each = { app, content, user: bob, dueAtMS: Date.now(), giveUpAtMS: Date.now() + 3_600_000, tries: 0, at }
      await db.pushes.insertMany([
        { ...each, _id: key(content, bob, 'ios'), network: 'apns', token: `${bob}-ios` },
        { ...each, _id: key(content, bob, 'fcm'), network: 'fcm', token: `${bob}-fcm` },
      ])
    }
    await pushTo([carol])
    await eventually('the other pushes', () => taken(ios(carol)) === 1 && taken(android(carol)) === 1)
    await eventually('the invalid ones are given up', async () => {
      const dropped = /^parley_push_results_total\{.*"fcm".*"dropped".*"no content"/
      return (await platform.metric(push, dropped)) === 2
    })
    assert.deepEqual([...ios(bob), ...android(bob)], [])
  })

  test('networks keep the push of an expiring message only until its expiry', async () => {
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios', 'fcm'])]
    const room = await platform.newRoom([alice, bob])
    const message = await platform.send(room, alice, { expiresInS: 600 })
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    const { expiresAtMS = 0 } = await eventually('it is flushed', () => platform.db.messages.findOne({ _id: message }))
    assert.equal(ios(bob)[0]?.headers['apns-expiration'], String(Math.floor(expiresAtMS / 1_000)))
    const seconds = Number.parseInt(android(bob)[0]?.message.android.ttl, 10)
    assert.ok(seconds <= 600, `${seconds} s`)
  })

  test('one connection to each network is reused', async () => {
    const bob = await platform.newUser(['ios', 'fcm'])
    await pushTo([bob])
    await eventually('both pushes', () => taken(ios(bob)) === 1 && taken(android(bob)) === 1)
    const { apns, fcm } = platform
    const connections = [apns.connections, fcm.connections]
    for (let i = 2; i <= 20; i++) {
      await pushTo([bob])
      await eventually('both pushes', () => taken(ios(bob)) === i && taken(android(bob)) === i)
    }
    assert.deepEqual([apns.connections, fcm.connections], connections)
  })

  test('a hanging network does not delay the other, and its pushes wait in the database, not in memory', async () => {
    const { apns, db } = platform
    const users: string[] = []
    while (users.length < 100) {
      const some = Array.from({ length: 10 }, () => platform.newUser(['ios', 'fcm']))
      users.push(...(await Promise.all(some)))
    }
    const bytes = () => platform.metric(push, /^process_resident_memory_bytes/)
    apns.behave = () => 'hang'
    const before = await bytes()
    for (let i = 0; i < 10; i++) await pushTo(users)
    await eventually('all pushes to the other', () => users.every((user) => taken(android(user)) === 10))
    assert.equal(taken(apns.pushes), 0)
    const atOnce = await platform.metric(push, /^parley_push_in_flight\{.*"apns"/)
    assert.ok(atOnce > 0 && atOnce <= concurrency, `${atOnce} at once`)
    assert.ok((await db.pushes.countDocuments({ network: 'apns', dueAtMS: { $exists: true } })) >= 900)
    const depth = () => platform.metric(push, /^parley_push_queue_depth\{.*"apns"/)
    await eventually('the metric shows the long queue', async () => (await depth()) >= 900)
    const grown = (await bytes()) - before
    assert.ok(grown < 150 * 1024 * 1024, `${Math.round(grown / 1024 / 1024)} MiB more`)
    await push.stop()
    assert.match(await readFile(push.logFile, 'utf8'), /"msg":"stopped"\}\n$/, 'within the drain time')
    const inFlight = { network: 'apns', user: { $in: users }, dueAtMS: { $exists: false } } as const
    assert.equal(await db.pushes.countDocuments(inFlight), 0, 'pushes in flight are put back')
  })
})
