import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startStallingProxy } from '../doubles/stalling-proxy.ts'
import { eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('a push network that is away', () => {
  let platform: PushPlatform
  let push: RunningService
  beforeAll(async () => {
    platform = await startPushPlatform()
    push = await platform.startPush()
  })
  afterAll(() => platform.stop())

  test('a waiting push is dropped for users that would no longer get it', async () => {
    const names = [
      'removed',
      'of a deleted room',
      'banned',
      'banned from the app',
      'muted',
      'blocking',
      'staying',
      'of another',
    ]
    const users = await Promise.all(names.map(() => platform.newUser(['fcm'])))
    const [removed = '', gone = '', banned = '', banished = '', muted = '', blocking = '', staying = '', other = ''] =
      users
    const { fcm } = platform
    const alice = await platform.newUser()
    const room = await platform.newRoom([alice, ...users.filter((user) => user !== gone && user !== other)], {
      owner: alice,
    })
    const roomToDelete = await platform.newRoom([alice, gone], { owner: alice })
    const erased = await platform.newUser([], { nickname: 'Mallory' })
    const roomOfErased = await platform.newRoom([erased, other], { owner: other })
    fcm.behave = () => ({ status: 503, reason: 'UNAVAILABLE' })
    const [message, messageThere] = [await platform.send(room, alice), await platform.send(roomToDelete, alice)]
    const messageOfErased = await platform.send(roomOfErased, erased)
    const answered = (status: number) => fcm.pushes.flatMap((one) => (one.status === status ? [one.token] : []))
    await eventually('all are tried', () => users.every((user) => answered(503).includes(`${user}-fcm`)))
    await platform.admin('POST', `/rooms/${room}/delete/members`, { members: [removed] })
    await platform.as(alice, 'DELETE', `/rooms/${roomToDelete}`)
    await platform.as(alice, 'POST', `/blockStatus/room/${room}/${banned}`)
    await platform.admin('POST', `/admin/clients/${banished}/ban`, {})
    await platform.as(muted, 'POST', `/me/mute/${room}`)
    await platform.as(blocking, 'POST', `/blockStatus/my/${alice}`)
    await platform.admin('DELETE', `/admin/clients/${erased}`)
    await eventually('their name is forgotten', async () => {
      const contents = await platform.db.pushContents.find().toArray()
      return contents.every(({ json }) => !json.includes('Mallory'))
    })
    fcm.behave = () => undefined
    const came: Record<string, unknown> = {}
    for (const [i, user] of users.entries()) {
      const path = `/admin/push/why?message=${{ [gone]: messageThere, [other]: messageOfErased }[user] ?? message}&client=${user}`
      came[names[i] ?? ''] = await eventually(`the outcome of the push to ${names[i]}`, async () => {
        const { devices } = (await platform.admin('GET', path)) as { devices: { outcome: string; reason?: string }[] }
        const ended = devices.find(({ outcome }) => outcome === 'sent' || outcome === 'given up')
        return ended && (ended.reason ?? ended.outcome)
      })
    }
    assert.deepEqual(came, {
      ...{ removed: 'not a member', 'of a deleted room': 'not a member', banned: 'banned', muted: 'muted' },
      ...{ 'banned from the app': 'banned', blocking: 'blocked', staying: 'sent', 'of another': 'sent' },
    })
    const shown = fcm.pushes.filter(({ status, message }) => status === 200 && message.data.type !== 'read')
    assert.deepEqual(shown.map(({ token }) => token).toSorted(), [`${staying}-fcm`, `${other}-fcm`].toSorted())
    const toOther = fcm.pushes.findLast(({ token }) => token === `${other}-fcm`)
    assert.equal(toOther?.message.android.notification.body_loc_args[0], '', 'nothing from the erased profile')
  })

  test('a retried push has the current badge', async () => {
    const { apns, fcm } = platform
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios', 'fcm'])]
    const room = await platform.newRoom([alice, bob])
    apns.behave = () => ({ status: 503, reason: 'ServiceUnavailable' })
    fcm.behave = () => ({ status: 503, reason: 'UNAVAILABLE' })
    const badges = (answered: 503 | 200) => {
      // Reading sends silent pushes too.
      const onIos = apns.pushes
        .filter(({ token, status }) => token === `${bob}-ios` && status === answered)
        .find(({ payload }) => 'alert' in payload.aps)
      const onAndroid = fcm.pushes
        .filter(({ token, status }) => token === `${bob}-fcm` && status === answered)
        .find(({ message: { android } }) => 'notification' in android)
      return onIos && onAndroid && [onIos.payload.aps.badge, onAndroid.message.android.notification.notification_count]
    }
    const message = await platform.send(room, alice)
    assert.deepEqual(await eventually('both are tried', () => badges(503)), [1, 1])
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message })
    for (const network of [apns, fcm]) network.behave = () => undefined
    assert.deepEqual(await eventually('both are taken', () => badges(200)), [0, 0])
  })

  test('messages sent while no push process ran are pushed in their current state, unless they expired', async () => {
    await push.stop()
    const { apns, db, app } = platform
    const [alice, bob, carol, dave, erin] = [
      await platform.newUser(),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
      await platform.newUser(['ios']),
    ]
    const roomWith = (user: string) => platform.newRoom([alice, user])
    const decided = key(app, await platform.send(await roomWith(dave), alice))
    // As left by a process with PUSH_GENERIC.
    await db.pushContents.insertOne({ _id: decided, json: '', at: new Date() })
    const late = await platform.send(await roomWith(carol), alice, { expiresInS: 1 })
    const { createdAtMS } = await eventually('it is flushed', () => db.messages.findOne({ _id: late }))
    // Simulate a late sweep.
    await db.messages.updateOne({ _id: late }, { $unset: { expiresAtMS: 1 } })
    const erased = await platform.newUser([], { nickname: 'Mallory' })
    await platform.send(await platform.newRoom([erased, erin]), erased)
    await platform.admin('DELETE', `/admin/clients/${erased}`)
    const room = await roomWith(bob)
    const edited = await platform.send(room, alice, { message: 'before' })
    await platform.admin('POST', `/rooms/${room}/message`, { _id: edited, sender: alice, message: 'after' })
    await eventually('its time has come', () => Date.now() > createdAtMS + 1_000)
    push = await platform.startPush()
    const to = (user: string) => apns.pushes.filter(({ token }) => token === `${user}-ios`)
    const text = await eventually('the push', () => to(bob)[0]?.payload.aps.alert['loc-args'][2])
    assert.equal(text, 'after')
    const toErin = await eventually('the push of the erased', () => to(erin)[0]?.payload.aps.alert['loc-args'])
    assert.equal(toErin[0], '')
    const why = `/admin/push/why?message=${late}&client=${carol}`
    await eventually('it is too late', async () => (await platform.admin('GET', why))['reason'] === 'DELETED')
    await eventually('the other is known as decided', () => db.pushContents.findOne({ _id: decided, isDecided: true }))
    assert.equal(await db.pushes.countDocuments({ content: decided }), 0)
    assert.deepEqual([...to(carol), ...to(dave)], [])
  })

  test('a silently dead connection is replaced while pushes continue', async () => {
    const { apns, fcm } = platform
    const proxyTo = (url: string) => startStallingProxy({ host: '127.0.0.1', port: Number(new URL(url).port) })
    await push.stop()
    const [toApns, toFcm] = [await proxyTo(apns.url), await proxyTo(fcm.url)]
    await platform.startPush({
      PARLEY_PUSH_APNS_URL: `https://localhost:${toApns.port}`,
      PARLEY_PUSH_FCM_URL: `https://localhost:${toFcm.port}`,
      PARLEY_PUSH_NETWORK_TIMEOUT_MS: '1000',
    })
    const pushTo = (user: string) =>
      platform.admin('POST', '/push/push2clients', { clients: [user], payload: { alert: 'hi' } })
    const isTaken = (user: string) =>
      [apns, fcm].every(({ pushes }) => pushes.some(({ token, status }) => status === 200 && token.startsWith(user)))
    const [bob, carol] = [await platform.newUser(['ios', 'fcm']), await platform.newUser(['ios', 'fcm'])]
    await pushTo(bob)
    await eventually('pushes over the first connections', () => isTaken(bob))
    for (const proxy of [toApns, toFcm]) proxy.stallOpen()
    await eventually('pushes over other connections', async () => {
      // Keep the connection busy, since idle ones are closed after some seconds.
      await pushTo(carol)
      return isTaken(carol)
    })
    await Promise.all([toApns.stop(), toFcm.stop()])
  })
})
