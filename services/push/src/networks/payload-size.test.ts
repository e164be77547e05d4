import assert from 'node:assert/strict'
import type { Message } from '@parley/contracts/resources/message'
import { appNotifications } from '@parley/contracts/resources/push/notification-settings'
import type { PushDoc } from '@parley/db/push/documents'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { describe, test } from 'vitest'
import { messageNotification } from '../recipients/notification-text.ts'
import { apnsNotification } from './apns-notification.ts'
import { devicePayload } from './device-payload.ts'
import { fcmMessage } from './fcm-message.ts'
import { fittedPayload } from './fitting-content.ts'
import { hmsMessage } from './hms-message.ts'
import { type PushContent, removedNotifications } from './network.ts'

const id = 'r'.repeat(128)
const push = { _id: 'p', user: 'bob', token: 't'.repeat(180), badge: 99_999, giveUpAtMS: Date.now() + 1_000 } as PushDoc

function contentOf(text: string, app = appNotifications.parse({})): PushContent & { of: 'message' } {
  const sender = { _id: 'alice', nickname: text }
  const message = { _id: id, room: id, messageType: 'x'.repeat(128), message: text, sender } as unknown as Message
  const content = messageNotification(message, { name: text, roomType: 'group' } as RoomDoc, app, 'request')
  return content.of === 'message' ? content : assert.fail()
}

/** Without the token, as Push Kit counts. */
function hmsBytes(content: PushContent): number {
  const { message } = hmsMessage(push, content, 'org.example.MainActivity') as { message: object }
  return Buffer.byteLength(JSON.stringify({ ...message, token: [] }))
}

interface FcmMessage {
  data: { messageType: string }
  android: { notification: { body_loc_args: string[] } }
  apns: { headers: object; payload: { aps: { alert: { 'loc-args': string[] } } } }
}

describe('a push of long texts', () => {
  const texts = ['a', 'ü', '漢', '😀', '"', '👩‍👩‍👧‍👦', '\u0001'].map((part) => part.repeat(400))
  test.each(texts)('is shortened to the limits of APNs and FCM, at whole characters: %.2s', (text) => {
    const content = contentOf(text)
    const apns = JSON.stringify(apnsNotification(push, content, 'org.example.app'))
    assert.ok(Buffer.byteLength(apns) <= 4_096, 'APNs')
    const { message } = fcmMessage(push, content) as { message: FcmMessage }
    assert.ok(Buffer.byteLength(JSON.stringify({ message })) <= 4_096, 'FCM')
    assert.ok(hmsBytes(content) <= 4_096, 'Push Kit')
    assert.ok(Buffer.byteLength(JSON.stringify(devicePayload(push, content, 3_600))) <= 3_600, 'the relay')
    const [args, onIPhones] = [message.android.notification.body_loc_args, message.apns.payload.aps.alert['loc-args']]
    assert.deepEqual(onIPhones, args)
    for (const arg of [...args, ...content.locArgs]) {
      assert.ok(arg.isWellFormed() && arg.length > 20 && text.startsWith(arg))
    }
  })

  test.each(texts)("is shortened in the app's own texts too: %.2s", (text) => {
    const own = { title: '😀'.repeat(20).concat('{room}'), body: '漢'.repeat(100).concat('{sender}: {text}') }
    const image = `https://x.org/${'i'.repeat(250)}`
    const content = contentOf(text, appNotifications.parse({ texts: [{ ...own, image }] }))
    const apns = JSON.stringify(apnsNotification(push, content, 'org.example.app'))
    assert.ok(Buffer.byteLength(apns) <= 4_096, 'APNs')
    const { message } = fcmMessage(push, content) as { message: { android: { notification: { body: string } } } }
    assert.ok(Buffer.byteLength(JSON.stringify({ message })) <= 4_096, 'FCM')
    assert.ok(hmsBytes(content) <= 4_096, 'Push Kit')
    const { body } = message.android.notification
    assert.ok(body.isWellFormed() && body.startsWith('漢'.repeat(100)) && body.length > 120, body)
  })

  test('of very many read rooms and deleted messages, is shortened too', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `${i}${'"'.repeat(126)}`)
    const content: PushContent = { of: 'read', ...removedNotifications({ rooms: ids, threads: ids, messages: ids }) }
    for (const made of [apnsNotification(push, content, 'org.example.app'), fcmMessage(push, content)]) {
      assert.ok(Buffer.byteLength(JSON.stringify(made)) <= 4_096)
    }
    assert.ok(hmsBytes(content) <= 4_096)
    assert.deepEqual(content.rooms, ids.slice(0, content.rooms.length))
    assert.ok(content.rooms.length > 2)
  })

  test('is shortened further beside long IDs, which APNs gets short as collapse IDs', () => {
    const ids = { room: '漢'.repeat(128), messageID: 'ü'.repeat(128), threadOf: 't'.repeat(128) }
    const image = `https://x.org/${'i'.repeat(250)}`
    const own = appNotifications.parse({ texts: [{ title: '{room}', body: '{sender}: {text}', image }] })
    const content = { ...contentOf('漢'.repeat(400), own), ...ids }
    const notification = apnsNotification(push, content, 'org.example.app')
    assert.ok(Buffer.byteLength(JSON.stringify(notification)) <= 4_096)
    const { message } = fcmMessage(push, content) as { message: FcmMessage }
    for (const id of [notification.collapseId, (message.apns.headers as Record<string, string>)['apns-collapse-id']]) {
      assert.match(id ?? '', /^[!-~]{1,64}$/)
    }
  })

  test('fits with every ID, type and text at its longest in JSON: it then goes without picture, own text and type', () => {
    const [control, icon] = ['\u0001', `https://x.org/${'i'.repeat(280)}`]
    const text = { title: control.repeat(200), body: control.repeat(500), sound: control.repeat(100), image: icon }
    const own = appNotifications.parse({ texts: [{ ...text, category: control.repeat(100) }] })
    const ids = { messageID: control.repeat(128), threadOf: control.repeat(128), messageType: control.repeat(64) }
    const content = { ...contentOf('😀'.repeat(400), own), ...ids, room: '😀'.repeat(128) }
    const apns = apnsNotification(push, content, 'org.example.app')
    const { message } = fcmMessage(push, content) as { message: FcmMessage }
    for (const made of [apns, { message }]) assert.ok(Buffer.byteLength(JSON.stringify(made)) <= 4_096)
    assert.ok(hmsBytes(content) <= 4_096)
    assert.ok(Buffer.byteLength(JSON.stringify(devicePayload(push, content, 3_600))) <= 3_600)
    assert.ok(Array.isArray(message.android.notification.body_loc_args))
    for (const made of [apns, message]) assert.ok(!JSON.stringify(made).includes(icon), 'no picture')
    const longest = fcmMessage(push, { ...content, room: control.repeat(128) }) as { message: FcmMessage }
    assert.ok(Buffer.byteLength(JSON.stringify(longest)) <= 4_096)
    assert.equal(longest.message.data.messageType, '')
    const usual = { ...contentOf('😀'.repeat(400)), messageType: control.repeat(64) }
    const shown = fcmMessage(push, usual) as { message: FcmMessage }
    assert.equal(shown.message.data.messageType, usual.messageType)
  })

  test.each(texts)('of push2clients are shortened too: %.2s', (text) => {
    const icon = `https://x.org/${'i'.repeat(2_000)}`
    const alert = { 'loc-key': 'key', 'loc-args': [text, 1, text], title: text }
    for (const more of [{ alert: text.repeat(20) }, { alert }, { icon, collapseKey: text.slice(0, 250) }]) {
      const payload = { type: '\u0001'.repeat(250), title: text, body: text.repeat(20), ...more }
      const content: PushContent = { of: 'clients', id: 'an ID', payload }
      const apns = JSON.parse(JSON.stringify(apnsNotification(push, content, 'org.example.app')))
      const { message } = fcmMessage(push, content) as { message: { android: { notification: { body: string } } } }
      for (const made of [apns, { message }]) assert.ok(Buffer.byteLength(JSON.stringify(made)) <= 4_096)
      assert.ok(hmsBytes(content) <= 4_096)
      assert.ok(Buffer.byteLength(JSON.stringify(devicePayload(push, content, 3_600))) <= 3_600)
      const { body } = message.android.notification
      assert.ok(body.length > 20 && body.isWellFormed() && payload.body.startsWith(body))
      if (typeof more.alert === 'object') assert.equal(apns.aps.alert['loc-key'], 'key')
    }
  })

  test('of push2clients that cannot fit are tried once for each field left out, not at each length', () => {
    let built = 0
    const payload = { alert: { 'loc-key': 'key', 'loc-args': Array.from({ length: 4_000 }, (_, n) => n) }, title: 'Hi' }
    fittedPayload({ payload }, 4_096, (less) => {
      built += 1
      return less
    })
    assert.ok(built <= 6, `built ${built} times`)
  })

  test('that fit stay as they are', () => {
    const { message } = fcmMessage(push, contentOf('Ana')) as { message: FcmMessage }
    assert.deepEqual(message.android.notification.body_loc_args, ['Ana', 'Ana', 'Ana'])
  })
})
