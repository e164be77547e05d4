import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { conditionsOf, termsOf } from './search-words.ts'

describe('the search terms of a text', () => {
  const examples: [text: string, terms: string[]][] = [
    ['Das Café, um 9:30 -- oder?!', ['das', 'cafe', 'caf', 'um', '9', '30', 'oder', 'ode']],
    ["can't 3.14 a_b", ['can', 't', '3', '14', 'a', 'b']],
    ['?! ?! ?!', []],
    ['getName', ['getname', 'get', 'getn', 'getna', 'name', 'nam']],
    ['北京人', ['北京', '北', '京', '京人', '人']],
    ['京', ['京']],
    ['ไทย', ['ไท', 'ทย']],
  ]
  for (const [text, terms] of examples) {
    test(JSON.stringify(text), () => assert.deepEqual(termsOf(text), terms))
  }

  test('a keyword becomes conditions on the indexed prefixes of its words', () => {
    assert.deepEqual(conditionsOf('a Deploy'), ['a', 'deplo', /^deploy/])
    assert.deepEqual(conditionsOf('deploy deploy'), ['deplo', /^deploy/])
    assert.deepEqual(
      [conditionsOf('北京人'), conditionsOf('?!'), conditionsOf('cafe')],
      [['北京', '京人'], [], ['cafe']],
    )
  })

  test('characters outside words are ignored, however many', () => {
    const words = ['北京', 'ภาษา', 'word', 'می‌خواهم']
    for (const between of [' ', ' - ', '?!?!', '\n\n\n', '…'.repeat(10_000)]) {
      assert.deepEqual(termsOf(words.join(between)), termsOf(words.join(' ')))
    }
  })

  test('are at most 2,000, and every keyword matches the terms of its own text', () => {
    const different = Array.from({ length: 3_000 }, (_, i) => `word${i}`)
    assert.equal(termsOf(different.join(' ')).length, 2_000)
    const text = 'ΑΎΡΙΟ 会议 version2 e-mail Straße 회의에서 مُحَمَّد'
    const terms = termsOf(text)
    for (const condition of conditionsOf(text)) {
      assert.ok(terms.some((term) => (typeof condition === 'string' ? term === condition : condition.test(term))))
    }
  })
})
