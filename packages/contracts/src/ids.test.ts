import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { namedBy, naming, roomId, userId } from './ids.ts'

const isId = (text: unknown) => userId.safeParse(text).success

describe('a user ID or room ID', () => {
  test('is 1 to 128 code points, and neither . nor ..', () => {
    fc.assert(
      fc.property(fc.nat(140), fc.constantFrom('a', 'ü', '😀', ' ', '.', '/', '"'), (length, character) => {
        const isLost = character === '.' && length <= 2
        assert.equal(isId(character.repeat(length)), length >= 1 && length <= 128 && !isLost)
      }),
    )
  })

  test('holds anything but control characters and lone surrogates', () => {
    const part = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.constantFrom('\0', '\n', '\x7f', '\x85', '\ud800', '\udfff'),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const text = `x${parts.join('')}`.slice(0, 60)
        const isControl = Array.from(text).some((character) => {
          const code = character.codePointAt(0) ?? 0
          return code < 0x20 || (code >= 0x7f && code < 0xa0)
        })
        assert.equal(isId(text), !isControl && text.isWellFormed())
      }),
    )
  })

  for (const given of [undefined, null, 7, {}, ['a']]) {
    test(`is a string: not ${JSON.stringify(given)}`, () => assert.equal(isId(given), false))
  }
})

test('a schema derived from a named one keeps the name', () => {
  assert.equal(namedBy(userId), 'user')
  assert.equal(namedBy(roomId), 'room')
  assert.equal(namedBy(naming('device', roomId.optional())), 'device')
})
