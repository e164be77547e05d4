import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { apnsTopic } from '../doubles/apns.ts'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('a new message is pushed', () => {
  let platform: PushPlatform
  let push: RunningService

  beforeAll(async () => {
    platform = await startPushPlatform({ toKill: ['redis'] })
    push = await platform.startPush()
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.apns.pushes = []
    platform.fcm.pushes = []
  })

  const setMember = (room: string, user: string, set: object) =>
    platform.db.memberships.updateOne({ _id: key(platform.app, room, user) }, { $set: set })

  /** The tokens that a message was pushed to, after a push to `last` has arrived and none is pending. */
  async function tokensOf(message: string, last: string): Promise<string[]> {
    const all = () => [
      ...platform.apns.pushes.map(({ token, payload }) => ({ token, message: payload.messageID })),
      ...platform.fcm.pushes.map(({ token, message: { data } }) => ({ token, message: data.messageID })),
    ]
    await eventually(`the push to ${last}`, () => all().some((one) => one.token === last && one.message === message))
    await eventually('nothing waits to be pushed', async () => {
      const waiting = await platform.db.pushes.countDocuments({ dueAtMS: { $exists: true } })
      const inFlight = await platform.metric(push, /^parley_push_in_flight\{.*(apns|fcm)/)
      return waiting === 0 && inFlight === 0
    })
    return all()
      .filter((one) => one.message === message)
      .map(({ token }) => token)
      .toSorted()
  }

  test('to members, on all their devices, but not to the sender', async () => {
    proves('POST /messages', 'push is true by default')
    const [alice, bob, carol] = [
      await platform.newUser(['ios', 'fcm']),
      await platform.newUser(['ios', 'fcm']),
      await platform.newUser(['ios']),
    ]
    await platform.newUser(['ios'])
    const room = await platform.newRoom([alice, bob, carol])
    const message = await platform.send(room, alice)
    assert.deepEqual(await tokensOf(message, `${carol}-ios`), [`${bob}-fcm`, `${bob}-ios`, `${carol}-ios`].toSorted())
  })

  for (const how of ['alone', 'with a user group']) {
    test(`not to robots, banned members, blockers of the sender, or muters unless mentioned ${how}, nor to anyone with push: false`, async () => {
      proves('POST /messages', 'body.push', 'body.mentions', 'the mentioned receive mention notifications')
      const [alice, robot, banned, muted, mentioned, carol, blocker] = [
        await platform.newUser(['ios']),
        await platform.newUser(['ios'], { isRobot: true }),
        await platform.newUser(['ios']),
        await platform.newUser(['ios']),
        await platform.newUser(['ios', 'fcm']),
        await platform.newUser(['ios']),
        await platform.newUser(['ios']),
      ]
      const room = await platform.newRoom([alice, robot, banned, muted, mentioned, carol, blocker], { owner: alice })
      await platform.as(alice, 'POST', `/blockStatus/room/${room}/${banned}`)
      await platform.as(blocker, 'POST', `/blockStatus/my/${alice}`)
      await platform.as(muted, 'POST', `/me/mute/${room}`)
      await platform.as(mentioned, 'POST', `/me/mute/${room}`)
      const silent = await platform.send(room, alice, { push: false })
      const members = [mentioned, banned, blocker]
      const group = String((await platform.admin('POST', '/admin/groups', { nickname: 'Group', members }))['_id'])
      const message = await platform.send(room, alice, { mentions: how === 'alone' ? members : [group] })
      assert.deepEqual(
        await tokensOf(message, `${carol}-ios`),
        [`${mentioned}-ios`, `${mentioned}-fcm`, `${carol}-ios`].toSorted(),
      )
      assert.equal(platform.apns.pushes.filter(({ payload }) => payload.messageID === silent).length, 0)
      const keyOf = (token: string) =>
        platform.apns.pushes.find((one) => one.token === token)?.payload.aps.alert['loc-key']
      assert.equal(keyOf(`${mentioned}-ios`), 'im_loc_mention')
      assert.equal(keyOf(`${carol}-ios`), 'im_loc_text')
      assert.equal(platform.fcm.pushes.at(-1)?.message.android.notification.body_loc_key, 'im_loc_mention')
    })
  }

  test("not to connected devices, by deviceId, but to the user's other devices", async () => {
    proves('POST /me/subscribe', 'a connected deviceId needs no push')
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios', 'fcm'])]
    const room = await platform.newRoom([alice, bob])
    const realtime = await platform.start('realtime')
    const { token } = await platform.admin('POST', '/admin/clients', { _id: bob, issueAccessToken: true })
    const socket = await connectClient(realtime.url, String(token), { deviceId: `ios of ${bob}` })
    const first = await platform.send(room, alice)
    assert.deepEqual(await tokensOf(first, `${bob}-fcm`), [`${bob}-fcm`])
    socket.disconnect()
    await eventually('the device gets pushes again', async () => {
      const message = await platform.send(room, alice)
      const tokens = await tokensOf(message, `${bob}-fcm`)
      return tokens.includes(`${bob}-ios`)
    })
    await realtime.stop()
  })

  test('skipTotalBadge omits the badge for every way of sending; the next push counts all messages', async () => {
    proves('POST /messages', 'body.skipTotalBadge')
    const [alice, bob] = [await platform.newUser([]), await platform.newUser(['ios', 'fcm'])]
    const room = await platform.newRoom([alice, bob])
    const badgesOf = async (message: string) => {
      await tokensOf(message, `${bob}-ios`)
      await tokensOf(message, `${bob}-fcm`)
      const ios = platform.apns.pushes.find(({ payload }) => payload.messageID === message)
      const android = platform.fcm.pushes.find(({ message: { data } }) => data.messageID === message)
      return [ios?.payload.aps.badge, android?.message.android?.notification?.notification_count]
    }
    const skip = { message: 'x', messageType: 'text', sender: alice, skipTotalBadge: true }
    assert.deepEqual(await badgesOf(await platform.send(room, alice, skip)), [undefined, undefined])
    const written = await platform.admin('POST', `/rooms/${room}/message`, skip)
    assert.deepEqual(await badgesOf(String(written['_id'])), [undefined, undefined])
    await platform.admin('POST', '/messages/batch', { ...skip, paras: [{ room }] })
    const batched = await eventually('the message is flushed', async () => {
      const [third] = await findAllMessages(platform.db, { roomKey: key(platform.app, room), seq: 3 })
      return third
    })
    assert.deepEqual(await badgesOf(batched._id), [undefined, undefined])
    assert.deepEqual(await badgesOf(await platform.send(room, alice)), [4, 4])
  })

  test('with loc-key, arguments, badge, room and messageID, on both networks', async () => {
    proves('Push texts', 'keys prefixed im_loc_, in loc-key and loc-args')
    const alice = await platform.newUser([], { nickname: 'Alice 😀' })
    const bob = await platform.newUser(['ios', 'fcm'])
    const other = await platform.newRoom([alice, bob])
    await platform.send(other, alice, { push: false })
    const room = await platform.newRoom([alice, bob], { name: 'Friends' })
    const text = '😀'.repeat(250)
    const message = await platform.send(room, alice, { message: { text } })
    await tokensOf(message, `${bob}-ios`)
    await tokensOf(message, `${bob}-fcm`)
    const locArgs = ['Alice 😀', 'Friends', '😀'.repeat(200)]

    const [ios] = platform.apns.pushes
    assert.deepEqual(ios?.payload, {
      aps: {
        alert: { 'loc-key': 'im_loc_text', 'loc-args': locArgs },
        badge: 2,
        sound: 'default',
        'thread-id': room,
      },
      room,
      messageID: message,
    })
    assert.equal(ios?.headers['apns-topic'], apnsTopic)
    assert.equal(ios?.headers['apns-collapse-id'], message)
    assert.equal(ios?.headers['apns-priority'], '10')
    const keptS = Number(ios?.headers['apns-expiration']) - Date.now() / 1_000
    assert.ok(keptS > 86_000 && keptS <= 86_400, `expires in ${keptS} s`)

    const [android] = platform.fcm.pushes
    const { ttl, ...rest } = android?.message.android ?? {}
    assert.match(ttl, /^86[34]\d\ds$/)
    const { 'apns-expiration': expiration, ...headers } = android?.message.apns?.headers ?? {}
    assert.ok(Number(expiration) > Date.now() / 1_000)
    assert.deepEqual(
      { ...android?.message, android: rest, apns: { ...android?.message.apns, headers } },
      {
        token: `${bob}-fcm`,
        data: { room, messageID: message, messageType: 'text' },
        apns: {
          headers: { 'apns-priority': '10', 'apns-collapse-id': message },
          payload: {
            aps: {
              ...{ alert: { 'loc-key': 'im_loc_text', 'loc-args': locArgs }, sound: 'default', badge: 2 },
              'thread-id': room,
            },
          },
        },
        android: {
          priority: 'HIGH',
          notification: {
            body_loc_key: 'im_loc_text',
            body_loc_args: locArgs,
            tag: message,
            notification_count: 2,
          },
        },
      },
    )
  })

  const keys = {
    ...{ image: 'im_loc_image', file: 'im_loc_file', video: 'im_loc_video', audio: 'im_loc_audio' },
    ...{ location: 'im_loc_location', announcement: 'im_loc_announcement', 'order.paid': 'im_loc_message' },
  }
  for (const [messageType, locKey] of Object.entries(keys)) {
    test(`loc-key of a message of type ${messageType} is ${locKey}`, async () => {
      const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios'])]
      const room = await platform.newRoom([alice, bob])
      const message = await platform.send(room, alice, { messageType, message: { url: 'https://example.com' } })
      await tokensOf(message, `${bob}-ios`)
      const { alert } = platform.apns.pushes[0]?.payload.aps ?? {}
      assert.deepEqual(alert, { 'loc-key': locKey, 'loc-args': ['', '', ''] })
    })
  }

  test("with the app's own texts in the device's language, and a picture that goes with its message", async () => {
    const texts = [
      { title: '{sender}', body: 'Photo', messageType: 'image', image: '{image}' },
      { title: '{sender} in {room}', body: '{text}', sound: 'ping.caf' },
      { title: '{sender} in {room}', body: 'Neu: {text}', language: 'de', image: '{avatar}' },
    ]
    await platform.admin('POST', '/config', { notifications: { texts } })
    const avatarUrl = 'https://x.org/ana.png'
    const ana = await platform.newUser([], { nickname: 'Ana', avatarUrl })
    const [bob, eva] = [await platform.newUser(['ios', 'fcm']), await platform.newUser()]
    for (const type of ['ios', 'fcm']) {
      const device = { type, token: `${eva}-${type}`, deviceId: type, language: 'de-AT' }
      await platform.as(eva, 'POST', '/me/subscribe', device)
    }
    const room = await platform.newRoom([ana, bob, eva], { name: 'Team' })
    const ofBob = async (message: string) => {
      await tokensOf(message, `${bob}-fcm`)
      return platform.fcm.pushes.find(
        ({ token, message: { data } }) => token === `${bob}-fcm` && data.messageID === message,
      )
    }
    assert.equal((await ofBob(await platform.send(room, ana)))?.message.android.notification.body, 'hello')
    platform.apns.pushes = []
    platform.fcm.pushes = []
    const message = await platform.send(room, ana, { message: 'Hi' })
    await tokensOf(message, `${eva}-ios`)
    await tokensOf(message, `${eva}-fcm`)
    const ios = (user: string) => platform.apns.pushes.find(({ token }) => token === `${user}-ios`)?.payload
    const fcm = (user: string) => platform.fcm.pushes.find(({ token }) => token === `${user}-fcm`)?.message.android
    const [alert, german] = ['Hi', 'Neu: Hi'].map((body) => ({ title: 'Ana in Team', body }))
    assert.partialDeepStrictEqual(ios(bob), { aps: { alert, sound: 'ping.caf' } })
    assert.partialDeepStrictEqual(ios(eva), {
      aps: { alert: german, sound: 'default', 'mutable-content': 1 },
      image: avatarUrl,
    })
    assert.partialDeepStrictEqual(fcm(bob)?.notification, { ...alert, sound: 'ping.caf' })
    assert.partialDeepStrictEqual(fcm(eva)?.notification, { ...german, image: avatarUrl })
    const url = 'https://x.org/mistake.png'
    const photo = await platform.send(room, ana, { messageType: 'image', message: { url } })
    const isKept = async () => (await platform.db.pushContents.find().toArray()).some(({ json }) => json.includes(url))
    await eventually('the picture is pushed', () =>
      platform.apns.pushes.some(({ payload }) => payload.messageID === photo && payload.image === url),
    )
    assert.equal(await isKept(), true)
    await platform.admin('DELETE', `/rooms/${room}/messages/${photo}`)
    await eventually('it is forgotten', async () => !(await isKept()))
    await platform.admin('POST', '/config', { notifications: {} })
  })

  test('not to members that joined later, and not at all once deleted or recalled', async () => {
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios'])]
    const rooms = [1, 2, 3].map(() => platform.newRoom([alice, bob]))
    const [late = '', deleted = '', recalled = ''] = await Promise.all(rooms)
    await push.stop()
    const messages = [
      await platform.send(late, alice),
      await platform.send(deleted, alice),
      await platform.send(recalled, alice),
    ]
    await setMember(late, bob, { joinedAtMS: Date.now() + 1, readSeq: 1 })
    await platform.admin('DELETE', `/rooms/${deleted}/messages/${messages[1]}`)
    const recall = { _id: messages[2], sender: alice, message: '', messageType: 'recall' }
    await platform.admin('POST', `/rooms/${recalled}/message`, recall)
    push = await platform.startPush()
    const last = await platform.send(recalled, alice)
    assert.deepEqual(await tokensOf(last, `${bob}-ios`), [`${bob}-ios`])
    const ofBob = platform.apns.pushes.filter(({ token }) => token === `${bob}-ios`)
    assert.deepEqual(
      ofBob.map(({ payload }) => payload.messageID),
      [last],
    )
  })

  test('and its text is removed once the message is deleted or recalled, singly or with the whole room', async () => {
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios'])]
    const rooms = await Promise.all([1, 2, 3, 4].map(() => platform.newRoom([alice, bob])))
    const [one = '', all = '', recalled = '', other = ''] = rooms
    const texts = ['delete me', 'delete us', 'recall me', 'keep me']
    const types = ['text', 'text', 'text', 'recall']
    const send = (room: string, i: number) => platform.send(room, alice, { message: texts[i], messageType: types[i] })
    const sent = await Promise.all(rooms.map(send))
    const kept = async () => {
      const contents = await platform.db.pushContents.find().toArray()
      return texts.filter((text) => contents.some(({ json }) => json.includes(text)))
    }
    await eventually('all are pushed', () => platform.apns.pushes.length === texts.length)
    assert.deepEqual(await kept(), texts)
    await platform.admin('POST', `/rooms/${other}/message`, { _id: sent[3], sender: alice, message: 'still there' })
    await platform.admin('DELETE', `/rooms/${one}/messages/${sent[0]}`)
    await platform.admin('DELETE', `/rooms/${all}/messages/_all`)
    const recall = { _id: sent[2], sender: alice, message: '', messageType: 'recall' }
    await platform.admin('POST', `/rooms/${recalled}/message`, recall)
    await eventually('they are forgotten', async () => (await kept()).join() === 'keep me')
  })

  test('to all members while Redis is away', async () => {
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios'])]
    const room = await platform.newRoom([alice, bob])
    await platform.servers.redis.kill()
    const message = await platform.send(room, alice)
    await eventually('the push', () => platform.apns.pushes.some(({ payload }) => payload.messageID === message))
    await platform.servers.redis.restart()
  })

  test('in a room of 3,000 members once to each, with few queries', async () => {
    const { db, app } = platform
    const alice = await platform.newUser()
    const members = Array.from({ length: 3_000 }, (_, i) => `${alice} ${i}`)
    const now = new Date()
    await db.users.insertMany(
      members.map((id) => ({
        ...{ _id: key(app, id), app, id, nickname: '', description: '', avatarUrl: '', isRobot: false },
        ...{ isAdmin: false, lastLoginTimeMS: 0, createdAt: now, updatedAt: now, revision: 0 },
      })),
    )
    await db.devices.insertMany(
      members.map((user) => ({
        ...{ _id: key(app, user, 'd'), app, user, userKey: key(app, user), device: 'd', type: 'fcm' as const },
        ...{ token: `${user}-fcm`, updatedAt: now },
      })),
    )
    const room = await platform.newRoom([alice, ...members])
    const asked = ['rooms', 'memberships', 'users', 'devices'].map((name) => db.mongo.collection(name).namespace)
    await db.mongo.createCollection('system.profile', { capped: true, size: 256 * 1024 * 1024 })
    await db.mongo.command({ profile: 2, slowms: 0 })
    await tokensOf(await platform.send(room, alice), `${members.at(-1)}-fcm`)
    await db.mongo.command({ profile: 0 })
    assert.equal(platform.fcm.pushes.length, 3_000)
    assert.equal(new Set(platform.fcm.pushes.map(({ token }) => token)).size, 3_000)
    const made = { appName: push.name, ns: { $in: asked } }
    const queries = await db.mongo.collection('system.profile').countDocuments(made)
    assert.ok(queries > 0 && queries < 250, `${queries} queries`)
  })
})
