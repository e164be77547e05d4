import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type PushServiceDouble, startPushService } from '../doubles/push-service.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

const windowMS = 5_000

describe('silent pushes: what was read elsewhere, or deleted', () => {
  let platform: PushPlatform
  let service: PushServiceDouble
  beforeAll(async () => {
    ;[platform, service] = await Promise.all([startPushPlatform(), startPushService()])
    await platform.startPush({ PARLEY_PUSH_WEB_SUBJECT: 'mailto:push@example.com' })
  })
  afterAll(() => Promise.all([platform.stop(), service.stop()]))
  beforeEach(() => {
    platform.apns.pushes = []
    platform.fcm.pushes = []
    service.pushes = []
  })

  async function newUser(): Promise<string> {
    const user = await platform.newUser(['ios', 'fcm'])
    const token = service.subscribe(String((await platform.as(user, 'GET', '/me/webPushKey'))['publicKey']))
    await platform.as(user, 'POST', '/me/subscribe', { type: 'web', token, deviceId: 'browser' })
    return user
  }
  const read = (user: string, room: string, message: string) =>
    platform.as(user, 'PUT', `/rooms/${room}/lastRead`, { message })
  /** By network, alerts and silent pushes. */
  const silent = () => ({
    apns: platform.apns.pushes.filter(({ headers }) => headers['apns-push-type'] === 'background'),
    fcm: platform.fcm.pushes.filter(({ message }) => message.data?.type === 'read'),
    web: service.pushes.filter(({ said }) => said.type === 'read'),
  })
  const alerted = (count: number) =>
    eventually('the pushes', () =>
      [platform.apns.pushes, platform.fcm.pushes, service.pushes].every((pushes) => pushes.length === count),
    )
  const silenced = () => eventually('silent ones', () => Object.values(silent()).every((pushes) => pushes.length > 0))

  test('reading a room moves the badge and takes its notifications away, on devices that got some', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const [quiet, room, unread] = [
      await platform.newRoom([alice, bob]),
      await platform.newRoom([alice, bob], { name: 'a' }),
      await platform.newRoom([alice, bob], { name: 'b' }),
    ]
    const unpushed = await platform.send(quiet, alice, { push: false })
    await read(bob, quiet, unpushed)
    await platform.send(unread, alice)
    const [first, last] = [await platform.send(room, alice), await platform.send(room, alice)]
    await alerted(3)
    // Not all that was pushed is read: its notification stays.
    await read(bob, room, first)
    await read(bob, room, last)
    await silenced()
    const { apns, fcm, web } = silent()
    const data = { rooms: [room], threads: [], messages: [] }
    await eventually('all are taken', () =>
      [apns, fcm, web].every(([push]) => (push?.status ?? 0) < 300 && push?.status),
    )
    assert.deepEqual([apns.length, fcm.length, web.length], [1, 1, 1])
    assert.deepEqual(apns[0]?.payload, { aps: { 'content-available': 1, badge: 1 }, type: 'read', ...data })
    assert.equal(apns[0]?.headers['apns-priority'], '5')
    assert.deepEqual(web[0]?.said, { type: 'read', ...data, badge: 1 })
    const { notification, android, apns: onIPhones, ...message } = fcm[0]?.message ?? {}
    assert.deepEqual([notification, android.notification, android.priority], [undefined, undefined, 'NORMAL'])
    assert.deepEqual(message.data, {
      ...{ type: 'read', rooms: JSON.stringify([room]), threads: '[]', messages: '[]', badge: '1' },
    })
    assert.deepEqual(onIPhones.payload, { aps: { 'content-available': 1, badge: 1 } })
    assert.equal(onIPhones.headers['apns-push-type'], 'background')
  })

  /** Messages of alice in a thread of bob's message: its root, and their IDs. */
  async function sendInThread(room: string, alice: string, bob: string, count: number) {
    const root = await platform.send(room, bob)
    const inThread = { replyTo: root, thread: true }
    return { root, ids: await Promise.all(Array.from({ length: count }, () => platform.send(room, alice, inThread))) }
  }

  test('a thread that was read leaves none: not before, nor with the room', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const room = await platform.newRoom([alice, bob])
    const { root, ids } = await sendInThread(room, alice, bob, 2)
    const ofRoom = await platform.send(room, alice)
    await alerted(3)
    const pushed = service.pushes.map(({ said }) => [said.messageID, said.threadOf])
    assert.deepEqual(
      new Map(pushed as [string, string][]),
      new Map([...ids.map((id) => [id, root] as const), [ofRoom, undefined]]),
    )
    assert.deepEqual(
      new Set(platform.fcm.pushes.map(({ message }) => message.data.threadOf)),
      new Set([root, undefined]),
    )
    assert.deepEqual(new Set(platform.apns.pushes.map(({ payload }) => payload.threadOf)), new Set([root, undefined]))
    await read(bob, room, ofRoom)
    await silenced()
    assert.deepEqual([silent().web[0]?.said.rooms, silent().web[0]?.said.threads], [[room], []])
    platform.apns.pushes = []
    platform.fcm.pushes = []
    service.pushes = []
    for (const message of ids) await platform.as(bob, 'PUT', `/messages/${root}/thread/lastRead`, { message })
    await silenced()
    const { apns, fcm, web } = silent()
    assert.deepEqual(
      [web.length, web[0]?.said],
      [1, { type: 'read', rooms: [], threads: [root], messages: [], badge: 0 }],
    )
    assert.deepEqual([apns[0]?.payload.threads, fcm[0]?.message.data.threads], [[root], JSON.stringify([root])])
  })

  test('a message that is deleted or recalled leaves no notification', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const room = await platform.newRoom([alice, bob])
    const [deleted, recalled] = [await platform.send(room, alice), await platform.send(room, alice)]
    await alerted(2)
    await platform.admin('DELETE', `/rooms/${room}/messages/${deleted}`)
    await platform.as(alice, 'POST', `/rooms/${room}/message`, { _id: recalled, messageType: 'recall' })
    const taken = () => silent().web.flatMap(({ said }) => said.messages as string[])
    await eventually('both are taken away', () => taken().length === 2)
    assert.deepEqual(new Set(taken()), new Set([deleted, recalled]))
    assert.equal(silent().web.at(-1)?.said.badge, 0)
    await silenced()
  })

  test('a room whose messages were all deleted leaves none either', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const room = await platform.newRoom([alice, bob])
    await platform.send(room, alice)
    const { root } = await sendInThread(room, alice, bob, 1)
    await alerted(2)
    await platform.admin('DELETE', `/rooms/${room}/messages/_all`)
    const taken = () => silent().web.flatMap(({ said }) => [said.rooms, said.threads].flat() as string[])
    await eventually('both are taken away', () => taken().length === 2)
    assert.deepEqual([new Set(taken()), silent().web.at(-1)?.said.badge], [new Set([room, root]), 0])
  })

  test('many rooms that are read at once make one silent push in five seconds', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const rooms = await Promise.all(
      Array.from({ length: 12 }, (_, i) => platform.newRoom([alice, bob], { name: String(i) })),
    )
    const sent = await Promise.all(rooms.map(async (room) => [room, await platform.send(room, alice)] as const))
    await alerted(rooms.length)
    const startMS = Date.now()
    await Promise.all(sent.map(([room, message]) => read(bob, room, message)))
    const taken = () => silent().web.flatMap(({ said }) => said.rooms as string[])
    await eventually('all are taken away', () => new Set(taken()).size === rooms.length)
    // One per window that passed, however slow the machine is.
    assert.ok(silent().web.length <= (Date.now() - startMS) / windowMS + 2, String(silent().web.length))
    assert.equal(taken().length, rooms.length)
  })
})
