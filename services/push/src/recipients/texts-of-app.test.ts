import assert from 'node:assert/strict'
import type { Message } from '@parley/contracts/resources/message'
import { appNotifications } from '@parley/contracts/resources/push/notification-settings'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { describe, test } from 'vitest'
import { type ShownText, shownText } from '../networks/shown-text.ts'
import { messageNotification } from './notification-text.ts'

const avatarUrl = 'https://x.org/ana.png'
const message = {
  ...{ _id: 'm', room: 'r', messageType: 'text', message: 'Hi {room}' },
  sender: { _id: 'ana', nickname: 'Ana', avatarUrl },
} as Message
const room = { name: 'Team', roomType: 'group' } as RoomDoc

function shown(app: object, device: Parameters<typeof shownText>[0] = {}, sent: Partial<Message> = {}): ShownText {
  const content = messageNotification({ ...message, ...sent }, room, appNotifications.parse(app), undefined)
  return content.of === 'message' ? shownText(device, content) : assert.fail()
}

describe("an app's text of a push", () => {
  const title = '{sender} · {room}'
  const texts = [
    { title, body: '{text}', mentioned: '@ {text}' },
    { title, body: 'DE {text}', language: 'de' },
    { title, body: 'Hant', language: 'zh-Hant' },
    { title, body: 'for two', roomType: 'direct' },
    { title, body: 'Photo', messageType: 'image', image: '{image}', sound: 'ping.caf', category: 'PHOTO' },
  ]

  test('shows the sender, the room and the text, whose braces stay as they are', () => {
    assert.deepEqual(shown({ texts }), { title: 'Ana · Team', body: 'Hi {room}' })
    assert.deepEqual(shown({ texts }, { mentioned: 'user' }), { title: 'Ana · Team', body: '@ Hi {room}' })
  })

  test.each(['javascript:alert(1)', 'http://x.org/a.png', 'a.png', '{avatar}.png'])('%s is no picture', (image) => {
    assert.equal(appNotifications.safeParse({ texts: [{ title, body: '{text}', image }] }).success, false)
  })

  test.each([
    ['de', 'DE Hi {room}'],
    ['de-AT', 'DE Hi {room}'],
    ['DE', 'DE Hi {room}'],
    ['zh-Hant-TW', 'Hant'],
    ['zh', 'Hi {room}'],
    ['fr', 'Hi {room}'],
  ])('for a device of language %s: %s', (language, body) => {
    assert.deepEqual(shown({ texts }, { language }), { title: 'Ana · Team', body })
  })

  test('for the message type overrides the text for every type', () => {
    const picture = { messageType: 'image', message: { url: 'https://x.org/a.png' } }
    const extras = { sound: 'ping.caf', category: 'PHOTO' }
    assert.deepEqual(shown({ texts }, {}, picture), {
      ...{ title: 'Ana · Team', body: 'Photo', ...extras, image: 'https://x.org/a.png' },
    })
    // The picture is part of the message; a URL that is not https is none.
    assert.equal('image' in shown({ texts, preview: false }, {}, picture), false)
    assert.equal('image' in shown({ texts }, {}, { ...picture, message: { url: 'http://x.org/a.png' } }), false)
  })

  test('without preview has no message text, and neither do the arguments for the app', () => {
    assert.deepEqual(shown({ texts, preview: false }), { title: 'Ana · Team', body: '' })
    assert.deepEqual(shown({ preview: false }), { locKey: 'im_loc_text', locArgs: ['Ana', 'Team', ''] })
  })

  test('is missing if none fits: the app localizes', () => {
    assert.deepEqual(shown({ texts: [texts[3]] }), { locKey: 'im_loc_text', locArgs: ['Ana', 'Team', 'Hi {room}'] })
  })

  test.each([
    [{ title, body: '{name}' }, /no placeholder but \{sender\}, \{room\}, \{text\}/],
    [{ title, body: 'x', language: 'no language' }, /language tag/],
    [{ title: 'ü'.repeat(101), body: 'x' }, /at most 200 bytes/],
    [{ title, body: 'x', image: '{text}' }, /no placeholder but \{avatar\}, \{image\}/],
  ])('is refused: %j', (text, message) => {
    assert.throws(() => appNotifications.parse({ texts: [text] }), message)
  })

  test('is refused twice for the same messages and language', () => {
    const text = { title, body: 'x', messageType: 'image', language: 'de-AT' }
    const set = (...all: object[]) => appNotifications.safeParse({ texts: all }).error?.issues[0]
    assert.equal(
      set(text, { ...text, roomType: 'direct' }, { ...text, language: 'de' }, { title, body: 'x' }),
      undefined,
    )
    const issue = set({ title, body: 'x' }, text, { ...text, body: 'y', language: 'de-at' })
    assert.deepEqual(issue?.path, ['texts', 2])
    assert.equal(issue?.message, 'expected one text per messageType, roomType and language')
  })
})
