import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from './test-push-platform.ts'

const count = 120

describe('a reminder', () => {
  let platform: PushPlatform
  let realtime: RunningService
  let alice: string
  let bob: string
  let room: string
  beforeAll(async () => {
    platform = await startPushPlatform()
    await platform.startPush()
    realtime = await platform.start('realtime')
    ;[alice, bob] = [await platform.newUser(), await platform.newUser(['ios', 'fcm'])]
    room = await platform.newRoom([alice, bob])
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.apns.pushes = []
    platform.fcm.pushes = []
  })
  const remind = (message: string, afterMS: number) =>
    platform.as(bob, 'POST', '/me/reminders', { message, remindAtMS: Date.now() + afterMS })

  test('is pushed to unconnected devices at any notification level, each time it is set', async () => {
    const message = await platform.send(room, alice, { push: false, message: 'remember' })
    await platform.as(bob, 'PUT', '/me/notifications', { level: 'none' })
    for (const times of [1, 2]) {
      await remind(message, 500)
      await eventually(
        'the pushes',
        () => platform.apns.pushes.length === times && platform.fcm.pushes.length === times,
      )
    }
    const { aps, ...payload } = platform.apns.pushes[0]?.payload ?? {}
    assert.deepEqual(payload, { room, messageID: message, reminder: true })
    assert.deepEqual(aps.alert['loc-key'], 'im_loc_reminder')
    assert.equal(aps.alert['loc-args'].at(-1), 'remember')
    assert.equal(platform.fcm.pushes[0]?.message.data.reminder, 'true')
    await platform.admin('DELETE', `/rooms/${room}/messages/${message}`)
    const contents = () => platform.db.pushContents.find({ _id: key(platform.app, '', 'reminder', message) }).toArray()
    await eventually('its text is removed', async () => !(await contents())[0]?.json.includes('remember'))
    await platform.as(bob, 'PUT', '/me/notifications', {})
    await eventually(
      'its notification is removed',
      () => platform.fcm.pushes.length === 3 && platform.apns.pushes.length === 3,
    )
  })

  test('fires once per device, even if its gateway is killed (-9)', async () => {
    const dying = await platform.start('api-gateway')
    const socket = await connectClient(realtime.url, platform.tokenOf(bob), { deviceId: `ios of ${bob}` })
    const heard: string[] = []
    socket.on('reminder', ({ messageID }: { messageID: string }) => heard.push(messageID))
    const sent: string[] = []
    for (let i = 0; i < count; i++) sent.push(await platform.send(room, alice, { push: false }))
    for (const message of sent) await remind(message, 3_600_000)
    const nowMS = Date.now()
    await platform.db.reminders.updateMany({}, { $set: { nextMS: nowMS, atMS: nowMS } })
    await eventually('some have fired', () => heard.length > 0, 120)
    await dying.kill()
    await eventually('none is pending', async () => (await platform.db.reminders.countDocuments()) === 0, 120)
    await eventually('all have fired', () => new Set(heard).size === count && platform.fcm.pushes.length >= count, 120)
    assert.deepEqual(heard.toSorted(), sent.toSorted())
    const pushed = platform.fcm.pushes.map(({ message }) => String(message.data.messageID))
    assert.deepEqual([pushed.toSorted(), platform.apns.pushes.length], [sent.toSorted(), 0])
    socket.close()
  })
})
