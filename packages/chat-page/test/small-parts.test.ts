import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { matching, mentionAt } from '../src/composer/mention-word.ts'
import { sizeName } from '../src/message/size-name.ts'
import { clockTime, dayName } from '../src/room/times.ts'
import { textOn, toChatConfig } from '../src/state/chat-config.ts'

describe('the chat page', () => {
  test('completes the word after an @ at the caret', () => {
    assert.deepEqual(mentionAt('Hi @Bo', 6), { from: 3, query: 'Bo' })
    assert.deepEqual(mentionAt('@', 1), { from: 0, query: '' })
    assert.equal(mentionAt('mail@example', 12), undefined)
    assert.equal(mentionAt('@Bob and', 8), undefined)
    for (const before of ['你好', '안녕', '（', '，', 'ＡＢ', '👍', 'x: ', '\n']) {
      const text = `${before}@王`
      assert.deepEqual(mentionAt(text, text.length), { from: before.length, query: '王' }, text)
    }
    assert.deepEqual(mentionAt('你好＠Bo', 5), { from: 2, query: 'Bo' })
    const people = ['Ann Bell', 'Bob', 'Ábby'].map((nickname, n) => ({ _id: String(n), nickname }))
    assert.deepEqual(
      matching(people, 'b').map(({ nickname }) => nickname),
      ['Ann Bell', 'Bob', 'Ábby'],
    )
    assert.deepEqual(
      matching(people, 'AB').map(({ nickname }) => nickname),
      ['Ábby'],
    )
  })

  test('accepts only the documented brand settings', () => {
    const unset = { name: undefined, color: undefined, logo: undefined, texts: undefined }
    const none = { ...unset, literalText: false, linkCards: false, mayStartChats: false }
    assert.deepEqual(toChatConfig(undefined), none)
    const hostile = { name: 7, color: 'red;}', logo: 'javascript:alert(1)', literalText: 'yes' }
    assert.deepEqual(toChatConfig(hostile), none)
    const good = {
      ...{ name: 'Acme', color: '#0f766e', logo: '/logo.svg', literalText: true, linkCards: true, mayStartChats: true },
      texts: { en: { chats: 'Inbox' } },
    }
    assert.deepEqual(toChatConfig(good, {}), good)
    assert.equal(toChatConfig(good, 'off').mayStartChats, false)
    assert.deepEqual([textOn('#ffee00'), textOn('#1e1b4b')], ['#000000', '#ffffff'])
  })

  test('names days in everyday words', () => {
    const now = new Date(2026, 10, 20, 9).getTime()
    const at = (...date: [number, number, number]) => new Date(...date, 23).getTime()
    assert.equal(dayName(at(2026, 10, 20), 'en', now), 'Today')
    assert.equal(dayName(at(2026, 10, 19), 'zh', now), '昨天')
    assert.equal(dayName(at(2026, 10, 18), 'en', now), 'Wednesday, November 18')
    assert.equal(dayName(at(2025, 10, 18), 'en', now), 'Tuesday, November 18, 2025')
  })

  test("uses the locale's hour cycle for times, and its plurals for sizes", () => {
    const evening = new Date(2026, 10, 20, 21, 5).getTime()
    const times = ['en-US', 'en-GB', 'de', 'zh-CN'].map((lang) => clockTime(evening, lang).replace('\u202F', ' '))
    assert.deepEqual(times, ['9:05 PM', '21:05', '21:05', '21:05'])
    const sizes = [0, 1, 193, 48_000].map((bytes) => sizeName(bytes, 'en'))
    assert.deepEqual(sizes, ['0 bytes', '1 byte', '193 bytes', '48 kB'])
  })
})
