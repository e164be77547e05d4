import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { wordsOf } from './search-words.ts'

describe('the words that a text is found by', () => {
  const examples: [text: string, words: string[]][] = [
    ['Das Café öffnet, um 9:30 -- oder?!', ['das', 'cafe', 'offnet', 'um', '9', '30', 'oder']],
    ["can't 3.14 example.com a_b a__b", ["can't", '3.14', 'example.com', 'a_b', 'a__b']],
    ['... a ... b, c;;; d', ['a', 'b', 'c', 'd']],
    ['?! ?! ?!', []],
    ['Don’t don‘t donʼt', ["don't"]],
    ['Straße STRASSE STRAẞE stra\u00adße', ['strasse']],
  ]
  for (const [text, words] of examples) {
    test(JSON.stringify(text), () => assert.deepEqual(wordsOf(text), words))
  }

  test('characters outside of words change nothing, however many', () => {
    const words = ['北京', 'ภาษา', 'word', 'می‌خواهم']
    for (const between of [' ', ' - ', '?!?!', '\n\n\n', '…'.repeat(10_000)]) {
      assert.deepEqual(wordsOf(words.join(between)), wordsOf(words.join(' ')))
    }
  })

  test('it looks at 1,000 words, and at a bounded part of a repetitive text', () => {
    const different = Array.from({ length: 3_000 }, (_, i) => `word${i}`)
    assert.deepEqual(wordsOf(different.join(' ')), different.slice(0, 1_000))
    assert.deepEqual(wordsOf(`${'again '.repeat(4_000)}found ${'again '.repeat(4_000)}lost`), ['again', 'found'])
  })
})
