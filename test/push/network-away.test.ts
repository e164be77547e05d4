import assert from 'node:assert/strict'
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

  test('a push that waits is not sent to who would get none by now', async () => {
    const names = ['removed', 'of a deleted room', 'banned', 'banned from the app', 'muted', 'blocking', 'staying']
    const users = await Promise.all(names.map(() => platform.newUser(['fcm'])))
    const [removed = '', gone = '', banned = '', banished = '', muted = '', blocking = ''] = users
    const { fcm } = platform
    const alice = await platform.newUser()
    const room = await platform.newRoom([alice, ...users.filter((user) => user !== gone)], { owner: alice })
    const roomToDelete = await platform.newRoom([alice, gone], { owner: alice })
    fcm.behave = () => ({ status: 503, reason: 'UNAVAILABLE' })
    const [message, messageThere] = [await platform.send(room, alice), await platform.send(roomToDelete, alice)]
    const answered = (status: number) => fcm.pushes.flatMap((one) => (one.status === status ? [one.token] : []))
    await eventually('all are tried', () => users.every((user) => answered(503).includes(`${user}-fcm`)))
    await platform.admin('POST', `/rooms/${room}/delete/members`, { members: [removed] })
    await platform.as(alice, 'DELETE', `/rooms/${roomToDelete}`)
    await platform.as(alice, 'POST', `/blockStatus/room/${room}/${banned}`)
    await platform.admin('POST', `/admin/clients/${banished}/ban`, {})
    await platform.as(muted, 'POST', `/me/mute/${room}`)
    await platform.as(blocking, 'POST', `/blockStatus/my/${alice}`)
    fcm.behave = () => undefined
    const came: Record<string, unknown> = {}
    for (const [i, user] of users.entries()) {
      const path = `/admin/push/why?message=${user === gone ? messageThere : message}&client=${user}`
      came[names[i] ?? ''] = await eventually(`what came of the push to ${names[i]}`, async () => {
        const { devices } = (await platform.admin('GET', path)) as { devices: { outcome: string; reason?: string }[] }
        const ended = devices.find(({ outcome }) => outcome === 'sent' || outcome === 'given up')
        return ended && (ended.reason ?? ended.outcome)
      })
    }
    assert.deepEqual(came, {
      ...{ removed: 'not a member', 'of a deleted room': 'not a member', banned: 'banned', muted: 'muted' },
      ...{ 'banned from the app': 'banned', blocking: 'blocked', staying: 'sent' },
    })
    assert.deepEqual(answered(200), [`${users.at(-1)}-fcm`])
  })

  test('a push that is sent again has the badge of then', async () => {
    const { apns, fcm } = platform
    const [alice, bob] = [await platform.newUser(), await platform.newUser(['ios', 'fcm'])]
    const room = await platform.newRoom([alice, bob])
    apns.behave = () => ({ status: 503, reason: 'ServiceUnavailable' })
    fcm.behave = () => ({ status: 503, reason: 'UNAVAILABLE' })
    const badges = (answered: 503 | 200) => {
      const onIos = apns.pushes.find(({ token, status }) => token === `${bob}-ios` && status === answered)
      const onAndroid = fcm.pushes.find(({ token, status }) => token === `${bob}-fcm` && status === answered)
      return onIos && onAndroid && [onIos.payload.aps.badge, onAndroid.message.android.notification.notification_count]
    }
    const message = await platform.send(room, alice)
    assert.deepEqual(await eventually('both are tried', () => badges(503)), [1, 1])
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message })
    for (const network of [apns, fcm]) network.behave = () => undefined
    assert.deepEqual(await eventually('both are taken', () => badges(200)), [0, 0])
  })

  test('a connection that died without a sign is replaced while pushes go on', async () => {
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
      // Left alone, a connection is closed after some seconds.
      await pushTo(carol)
      return isTaken(carol)
    })
    await Promise.all([toApns.stop(), toFcm.stop()])
  })
})
