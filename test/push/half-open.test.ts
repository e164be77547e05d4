import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { openHanging } from './hanging-proxy.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('a half-open connection', () => {
  let platform: PushPlatform
  let realtime: RunningService
  let alice: string
  beforeAll(async () => {
    platform = await startPushPlatform()
    await platform.startPush()
    realtime = await platform.start('realtime', {
      PARLEY_REALTIME_PING_INTERVAL_MS: '1500',
      PARLEY_REALTIME_PING_TIMEOUT_MS: '5000',
    })
    alice = await platform.newUser()
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.apns.pushes = []
    platform.fcm.pushes = []
  })

  const connect = (user: string, url = realtime.url) =>
    connectClient(url, platform.tokenOf(user), { deviceId: `ios of ${user}` })
  const pushed = () => platform.apns.pushes.map(({ payload }) => payload.messageID)
  const closed = (user: string) =>
    eventually('the connection is closed', async () => {
      const { data } = (await platform.admin('GET', `/admin/clients/${user}/connections`)) as { data: unknown[] }
      return data.length === 0
    })
  const nothingWaits = () =>
    eventually(
      'nothing waits',
      async () => (await platform.db.pushes.countDocuments({ dueAtMS: { $exists: true } })) === 0,
    )

  test('loses no message: the device gets one push per message sent into it, unless it was read', async () => {
    const bob = await platform.newUser(['ios', 'fcm'])
    const [room, other] = [await platform.newRoom([alice, bob]), await platform.newRoom([alice, bob])]
    const [own, foreign] = [
      await platform.send(room, bob, { push: false }),
      await platform.send(room, alice, { push: false }),
    ]
    const proxy = await openHanging(realtime)
    const socket = await connect(bob, proxy.url)
    const heard: unknown[] = []
    socket.on('chat message', ({ _id }: { _id: string }) => heard.push(_id))
    const before = await platform.send(room, alice)
    await eventually('it is live', () => heard.includes(before))
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message: before })
    proxy.hang()
    const [lost, mentioned, read] = [
      await platform.send(room, alice),
      await platform.send(room, alice, { mentions: [bob] }),
      await platform.send(other, alice),
    ]
    await platform.as(bob, 'PUT', `/rooms/${other}/lastRead`, { message: read })
    const inThread = (replyTo: string, { of = room, ...more }: { of?: string; mentions?: string[] } = {}) =>
      platform.send(of, alice, { replyTo, thread: true, ...more })
    const [ofThread, named] = [await inThread(own), await inThread(foreign, { mentions: [bob] })]
    const [foreignThread, quiet] = [await inThread(foreign), await platform.send(other, bob)]
    const readThread = await inThread(quiet, { of: other })
    await platform.as(bob, 'PUT', `/messages/${quiet}/thread/lastRead`, { message: readThread })
    await platform.as(bob, 'POST', '/me/reminders', { message: before, remindAtMS: Date.now() + 200 })
    await eventually('the other device has them', () => platform.fcm.pushes.length >= 8)
    assert.deepEqual(pushed(), [])
    await eventually('the pushes', () => pushed().length === 5)
    const after = await platform.send(room, alice)
    await eventually('the next push', () => pushed().includes(after))
    await nothingWaits()
    assert.deepEqual(new Set(pushed()), new Set([lost, mentioned, ofThread, named, before, after]))
    assert.equal(pushed().length, 6)
    assert.ok(!platform.fcm.pushes.some(({ message }) => message.data.messageID === foreignThread))
    socket.close()
    await proxy.stop()
  })

  test('of a device with another connection causes no pushes', async () => {
    const bob = await platform.newUser(['ios'])
    const room = await platform.newRoom([alice, bob])
    const proxy = await openHanging(realtime)
    const [hanging, other] = [await connect(bob, proxy.url), await connect(bob)]
    proxy.hang()
    const live = new Promise((resolve) => other.once('chat message', resolve))
    const message = await platform.send(room, alice)
    await live
    await eventually('its pushes are noted', async () =>
      platform.db.pushes.findOne({ _id: { $regex: message }, user: bob }),
    )
    await nothingWaits()
    assert.deepEqual(pushed(), [])
    other.close()
    hanging.close()
    await closed(bob)
    await proxy.stop()
  })

  test('that fills its buffer is closed as a slow reader, and its device gets pushes', async () => {
    const bob = await platform.newUser(['ios'])
    const room = await platform.newRoom([alice, bob])
    // Its pings are far away.
    const node = await platform.start('realtime', { PARLEY_REALTIME_MAX_BUFFERED_BYTES: '65536' })
    const proxy = await openHanging(node)
    const socket = await connect(bob, proxy.url)
    proxy.fillUp()
    const sent: string[] = []
    await eventually('it is closed', async () => {
      sent.push(await platform.send(room, alice, { message: 'x'.repeat(60_000) }))
      const { data } = (await platform.admin('GET', `/admin/clients/${bob}/connections`)) as { data: unknown[] }
      return data.length === 0
    })
    await eventually('the pushes', () => sent.slice(-5, -1).every((message) => pushed().includes(message)))
    assert.equal(new Set(pushed()).size, pushed().length)
    socket.close()
    await proxy.stop()
    await node.stop()
  })

  test('on a node that drains brings pushes; a living one, which answers, brings none', async () => {
    const [bob, living] = [await platform.newUser(['ios']), await platform.newUser(['ios'])]
    const room = await platform.newRoom([alice, bob, living])
    const node = await platform.start('realtime', { PARLEY_DRAIN_MS: '4000' })
    const proxy = await openHanging(node)
    const hanging = await connect(bob, proxy.url)
    const other = await connect(living, node.url)
    const heard = new Promise((resolve) => other.once('chat message', resolve))
    proxy.hang()
    const message = await platform.send(room, alice)
    await heard
    const decided = { _id: key(platform.app, message), isDecided: true } as const
    await eventually('its pushes are decided', () => platform.db.pushContents.findOne(decided))
    const stopped = node.stop()
    await eventually('the push', () => pushed().includes(message))
    await stopped
    const orders = await platform.db.pushes.find({ _id: { $regex: message } }).toArray()
    assert.deepEqual(
      orders.map(({ user }) => user),
      [bob],
    )
    await nothingWaits()
    assert.deepEqual(pushed(), [message])
    hanging.close()
    other.close()
    await proxy.stop()
  })
})
