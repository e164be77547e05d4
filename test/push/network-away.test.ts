import { afterAll, beforeAll, describe, test } from 'vitest'
import { startStallingProxy } from '../doubles/stalling-proxy.ts'
import { eventually } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

describe('a push network that is away', () => {
  let platform: PushPlatform
  beforeAll(async () => {
    platform = await startPushPlatform()
  })
  afterAll(() => platform.stop())

  test('a connection that died without a sign is replaced while pushes go on', async () => {
    const { apns, fcm } = platform
    const proxyTo = (url: string) => startStallingProxy({ host: '127.0.0.1', port: Number(new URL(url).port) })
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
