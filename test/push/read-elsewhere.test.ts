import assert from 'node:assert/strict'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type PushServiceDouble, startPushService } from '../doubles/push-service.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

const windowMS = 5_000

describe('silent pushes after reads on other devices, deletions and removals of members', () => {
  let platform: PushPlatform
  let service: PushServiceDouble
  /** Bob of the current test. Silent pushes to the Bob of an earlier test can still arrive. */
  let bobs: { ios: string; fcm: string; web: string }
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
    bobs = { ios: `${user}-ios`, fcm: `${user}-fcm`, web: new URL(JSON.parse(token).endpoint).pathname }
    return user
  }
  const read = (user: string, room: string, message: string) =>
    platform.as(user, 'PUT', `/rooms/${room}/lastRead`, { message })
  /** The pushes to Bob by network, alerts or silent ones. */
  const pushed = (isSilent: boolean) => ({
    apns: platform.apns.pushes.filter(
      ({ token, headers }) => token === bobs.ios && (headers['apns-push-type'] === 'background') === isSilent,
    ),
    fcm: platform.fcm.pushes.filter(
      ({ token, message }) => token === bobs.fcm && (message.data?.type === 'read') === isSilent,
    ),
    web: service.pushes.filter(({ path, said }) => path === bobs.web && (said.type === 'read') === isSilent),
  })
  const silent = () => pushed(true)
  const alerted = (count: number) =>
    eventually('the alerts', () => Object.values(pushed(false)).every((pushes) => pushes.length === count))
  const silenced = () =>
    eventually('the silent pushes', () => Object.values(silent()).every((pushes) => pushes.length > 0))

  test('reading a room updates the badge and removes its notifications on devices that showed some', async () => {
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
    // The notification stays until everything that was pushed is read.
    await read(bob, room, first)
    await read(bob, room, last)
    await silenced()
    const { apns, fcm, web } = silent()
    const data = { rooms: [room], threads: [], messages: [] }
    await eventually('the networks have responded', () =>
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

  /** Sends messages of alice into a thread of bob's; returns its root and their IDs. */
  async function sendInThread(room: string, alice: string, bob: string, count: number) {
    const root = await platform.send(room, bob)
    const inThread = { replyTo: root, thread: true }
    return { root, ids: await Promise.all(Array.from({ length: count }, () => platform.send(room, alice, inThread))) }
  }

  test('reading a thread removes its notifications; reading the room does not', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const room = await platform.newRoom([alice, bob])
    const { root, ids } = await sendInThread(room, alice, bob, 2)
    const ofRoom = await platform.send(room, alice)
    await alerted(3)
    const alerts = pushed(false)
    assert.deepEqual(
      new Map(alerts.web.map(({ said }) => [said.messageID, said.threadOf] as [string, string])),
      new Map([...ids.map((id) => [id, root] as const), [ofRoom, undefined]]),
    )
    assert.deepEqual(new Set(alerts.fcm.map(({ message }) => message.data.threadOf)), new Set([root, undefined]))
    assert.deepEqual(new Set(alerts.apns.map(({ payload }) => payload.threadOf)), new Set([root, undefined]))
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

  test('deleting or recalling a message removes its notification', async () => {
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

  test.each<[string, (room: string, bob: string) => Promise<unknown>]>([
    ['deleting all messages of a room', (room) => platform.admin('DELETE', `/rooms/${room}/messages/_all`)],
    ['deleting a room', (room) => platform.admin('DELETE', `/rooms/${room}`)],
    ['removing a member', (room, bob) => platform.admin('POST', `/rooms/${room}/delete/members`, { members: [bob] })],
    ['leaving a room', (room, bob) => platform.as(bob, 'POST', `/rooms/${room}/delete/members`, { members: [bob] })],
  ])('%s removes its notifications and those of its threads', async (_what, change) => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const room = await platform.newRoom([alice, bob])
    await platform.send(room, alice)
    const { root } = await sendInThread(room, alice, bob, 1)
    await alerted(2)
    await change(room, bob)
    const taken = () => silent().web.flatMap(({ said }) => [said.rooms, said.threads].flat() as string[])
    await eventually('both are taken away', () => taken().length === 2)
    assert.deepEqual([new Set(taken()), silent().web.at(-1)?.said.badge], [new Set([room, root]), 0])
    await silenced()
  })

  test('reading many rooms at once sends one silent push per five seconds', async () => {
    const [alice, bob] = [await platform.newUser(), await newUser()]
    const rooms = await Promise.all(
      Array.from({ length: 12 }, (_, i) => platform.newRoom([alice, bob], { name: String(i) })),
    )
    const sent = await Promise.all(rooms.map(async (room) => [room, await platform.send(room, alice)] as const))
    await alerted(rooms.length)
    const startMS = Date.now()
    await Promise.all(sent.map(([room, message]) => read(bob, room, message)))
    const taken = () => silent().web.flatMap(({ said }) => said.rooms as string[])
    await eventually('all rooms are read', () => new Set(taken()).size === rooms.length)
    // At most one per elapsed window, even if the reads took several.
    assert.ok(silent().web.length <= (Date.now() - startMS) / windowMS + 2, String(silent().web.length))
    assert.equal(taken().length, rooms.length)
  })
})
