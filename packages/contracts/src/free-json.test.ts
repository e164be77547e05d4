import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { z } from 'zod'
import { readJson, unfitJson } from './free-json.ts'

/** A value nested in this many lists and objects. */
function nested(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { field: value }
  return value
}

describe('JSON from outside', () => {
  test('is accepted up to 100 levels, not counting those around it', () => {
    fc.assert(
      fc.property(fc.nat(130), fc.nat(3), (levels, containers) => {
        const reason = levels <= 100 + containers ? undefined : 'nested more than 100 deep'
        assert.equal(unfitJson(nested(levels), containers), reason)
      }),
    )
  })

  test('is accepted in any other shape', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => assert.equal(unfitJson(value), undefined)))
  })
})

/** Numbers that a double would change, in value or in form. */
const kept = [
  '9007199254740993',
  '-12345678901234567890',
  '0.1234567890123456789',
  '1e400',
  '-1E-999',
  '-0',
  '-0.0',
  '1.0',
]
/** A JSON number. */
const number = fc.oneof(
  fc.constantFrom(...kept),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n }).map(String),
      fc.stringMatching(/^(\.\d{1,30})?$/),
      fc.stringMatching(/^([eE][+-]?\d{1,3})?$/),
    )
    .map((parts) => parts.join('')),
)

describe('numbers in free JSON', () => {
  test('are written as they were read, wherever they are', () => {
    const value = fc.letrec<{ any: string; list: string; object: string }>((tie) => ({
      any: fc.oneof(
        number,
        fc.string().map((text) => JSON.stringify(text)),
        tie('list'),
        tie('object'),
      ),
      list: fc.array(tie('any'), { maxLength: 4 }).map((inner) => `[${inner.join(',')}]`),
      object: fc
        .array(tie('any'), { maxLength: 4 })
        .map((inner) => `{${inner.map((each, i) => `${i === 0 ? '"__proto__"' : `"k${i}"`}:${each}`).join(',')}}`),
    })).any
    fc.assert(fc.property(value, (json) => assert.equal(JSON.stringify(readJson(json)), json)))
    for (const each of kept) assert.equal(JSON.stringify(readJson(`{"a": [\n${each} ]}`)), `{"a":[${each}]}`)
  })

  test('are doubles where the schema has a type, and kept elsewhere', () => {
    const schema = z.strictObject({
      free: z.any().refine((value) => value !== undefined),
      limit: z.number().int().optional(),
      list: z.array(z.looseObject({ n: z.number() })).default([]),
      either: z.union([z.string(), z.looseObject({ args: z.array(z.unknown()).exactOptional() })]).optional(),
    })
    const json =
      '{"free":[1.0],"limit":60.0,"list":[{"n":1e3,"m":1e3}],"either":{"args":[1.0,"x"]},"ignored":[{"n":2.0}]}'
    const read = readJson(json, schema)
    const written =
      '{"free":[1.0],"limit":60,"list":[{"n":1000,"m":1e3}],"either":{"args":[1.0,"x"]},"ignored":[{"n":2}]}'
    assert.equal(JSON.stringify(read), written)
    assert.deepEqual(readJson('[1.0,{"a":1e400}]', z.number()), [1, { a: Infinity }])
  })

  test('are not parsed in JSON nested too deep, which is refused', () => {
    const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`
    assert.equal(unfitJson(readJson(deep)), 'nested more than 100 deep')
  })
})
