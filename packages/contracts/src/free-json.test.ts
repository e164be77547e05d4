import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { unfitJson, unstorable } from './free-json.ts'

/** A value in so many levels of lists and objects. */
function nested(levels: number, inner: unknown = 1): unknown {
  let value = inner
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { field: value }
  return value
}

describe('JSON from outside', () => {
  test('is taken up to 100 levels, beside those that it comes in', () => {
    fc.assert(
      fc.property(fc.nat(130), fc.nat(3), (levels, containers) => {
        const reason = levels <= 100 + containers ? undefined : 'nested more than 100 deep'
        assert.equal(unfitJson(nested(levels), containers), reason)
      }),
    )
  })

  test('is not taken with a number that is none any more, however deep', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.constantFrom(Infinity, -Infinity), (levels, number) =>
        assert.equal(unfitJson(nested(levels, number)), 'a number is too large'),
      ),
    )
    assert.equal(unfitJson(JSON.parse('[1e400]')), 'a number is too large')
  })

  test('of any other kind is taken', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => assert.equal(unfitJson(value), undefined)))
  })
})

describe('an object that is to be stored', () => {
  for (const name of ['__proto__', '_bsontype', 'a\0b', '\0']) {
    test(`has no field ${JSON.stringify(name)}, however deep`, () => {
      for (const levels of [0, 1, 5]) {
        const object = nested(levels, JSON.parse(`{${JSON.stringify(name)}:1}`))
        assert.equal(unstorable(object), `${JSON.stringify(name)} cannot be the name of a field`)
      }
    })
  }

  test('has any other', () => {
    const names = ['', '$set', 'a.b', 'constructor', 'toString', '_id', 'ü 😀', '__proto']
    assert.equal(unstorable(Object.fromEntries(names.map((name) => [name, [{ [name]: null }]]))), undefined)
  })
})
