import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { createLetterReader, foldCase } from './letters.ts'
import { maskOfWords } from './mask-words.ts'

const read = createLetterReader()
const masked = (words: readonly string[], text: string) => maskOfWords(words, read).mask(text)

describe('masking listed words', () => {
  test('folds case like regular expressions with the flags iu, for every cased character', () => {
    const cased = Array.from({ length: 0x11_00_00 }, (_, i) => i)
      .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
      .map((codePoint) => String.fromCodePoint(codePoint))
      .filter((character) => character.toLowerCase() !== character || character.toUpperCase() !== character)
    assert.ok(cased.length > 2_000)
    const all = cased.join('')
    const byFold = Map.groupBy(cased, foldCase)
    for (const character of cased) {
      const same = all.match(new RegExp(character, 'giu'))
      assert.deepEqual(same, byFold.get(foldCase(character)), character)
      assert.equal(foldCase(character).length, character.length, character)
      const { folded } = read(character)
      assert.equal(String.fromCharCode(...folded), foldCase(character))
    }
  })

  const examples: [words: string[], text: string, wanted: string][] = [
    [['darn'], 'Darn, DARN! darning undarn', '****, ****! darning undarn'],
    [['bad word'], 'a bad word, a bad  word', 'a ********, a bad  word'],
    [['c++', '++'], 'c++ c+++ ++ a++', '*** **** ** a++'],
    [['ärger'], 'ÄRGER Ärger a\u0308rger', '***** ***** a\u0308rger'],
    // The lower case of İ is longer than İ, but masking must not shift.
    [['word'], 'İİİ word İ', 'İİİ **** İ'],
    [['straße'], 'STRASSE straße STRAẞE', 'STRASSE ****** ******'],
    [['οδος'], 'ΟΔΟΣ οδοσ', '**** ****'],
    [['傻瓜', '瓜皮'], '你是傻瓜皮吗', '你是***吗'],
    [['a b', 'b c'], 'x a b c y', 'x ***** y'],
    [['he', 'she', 'hers'], 'ushers she hers', 'ushers *** ****'],
    // One star per character, whatever its number of units. An emoji is not part of a word.
    [['😀 x', '𐐀𐐁'], '😀 x 𐐨𐐩 😀😀 x', '*** ** 😀***'],
    [['word'], 'word_ word1 _word word\u0301 (word) \0word', 'word_ word1 _word word\u0301 (****) \0****'],
    [['x'], '', ''],
  ]
  for (const [words, text, wanted] of examples) {
    test(`${JSON.stringify(words)} in ${JSON.stringify(text)}`, () => assert.equal(masked(words, text), wanted))
  }

  test('agrees with a separate search for each word, on random words and texts', () => {
    const letters = fc.constantFrom(
      'a',
      'A',
      'b',
      'ß',
      'İ',
      'ſ',
      's',
      '_',
      '1',
      ' ',
      '+',
      '*',
      '傻',
      '瓜',
      '😀',
      '𐐀',
      '𐐨',
    )
    const texts = (max: number) => fc.array(letters, { maxLength: max }).map((list) => list.join(''))
    const words = texts(6).filter((word) => word.trim() === word && word !== '')
    fc.assert(
      fc.property(fc.array(words, { maxLength: 6 }), texts(60), (list, text) => {
        assert.equal(masked(list, text), maskedOneByOne(list, text))
      }),
      { numRuns: 300 },
    )
  })

  /** Reference implementation: every occurrence of a word, found by a regular expression at each index. */
  function maskedOneByOne(words: readonly string[], text: string): string {
    const hidden = new Set<number>()
    for (const word of words) {
      const literal = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
      const whole = /[傻瓜]/.test(word) ? literal : String.raw`(?<![\p{L}\p{M}\p{N}_])${literal}(?![\p{L}\p{M}\p{N}_])`
      const pattern = new RegExp(whole, 'iuy')
      for (let i = 0; i < text.length; i++) {
        pattern.lastIndex = i
        const found = pattern.exec(text)
        if (found?.index !== i) continue
        for (let at = i; at < i + found[0].length; at++) hidden.add(at)
      }
    }
    let at = 0
    return Array.from(text, (character) => {
      const shown = hidden.has(at) ? '*' : character
      at += character.length
      return shown
    }).join('')
  }

  test('bounds the size of the automaton by the letters of the words', () => {
    const nested = Array.from({ length: 300 }, (_, i) => 'a'.repeat(i + 1))
    assert.ok(maskOfWords(nested, read).size < 1_000)
    assert.equal(masked(nested, `${'a'.repeat(300)} ${'a'.repeat(301)}`), `${'*'.repeat(300)} ${'a'.repeat(301)}`)
  })
})
