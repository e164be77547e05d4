import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { z } from 'zod'
import { takeBody, takeQuery } from './lenient.ts'

const item = z.strictObject({ name: z.string(), size: z.number().optional() })
const body = z.strictObject({
  room: z.string(),
  push: z.boolean().optional(),
  kind: z.enum(['a', 'b']).default('a'),
  nothing: z.null().optional(),
  items: z.array(item).optional(),
  item: item.optional(),
  either: z.union([z.string(), item]).optional(),
  free: z.record(z.string(), z.unknown()).optional(),
  open: z.looseObject({ known: z.string().optional() }).optional(),
})

describe('a body of the interface', () => {
  for (const [what, given, value, ignored] of [
    ['without unknown fields', { room: 'r', colour: 'red' }, { room: 'r' }, ['colour']],
    ['without null where a field is optional', { room: 'r', push: null, kind: null }, { room: 'r' }, []],
    ['with null where a field is required', { room: null }, { room: null }, []],
    ['with null where null is a value', { room: 'r', nothing: null }, { room: 'r', nothing: null }, []],
    [
      'all the way down',
      {
        items: [
          { name: 'x', colour: 1 },
          { name: 'y', size: null },
        ],
        item: { name: 'z', x: 1 },
      },
      { items: [{ name: 'x' }, { name: 'y' }], item: { name: 'z' } },
      ['items.0.colour', 'item.x'],
    ],
    ['where a field is a text or an object', { either: { name: 'x', y: 1 } }, { either: { name: 'x' } }, ['either.y']],
    [
      'but with all free JSON',
      { free: { any: null }, open: { known: null, other: null } },
      { free: { any: null }, open: { other: null } },
      [],
    ],
    ['even of the wrong type', { room: 7, items: 'x' }, { room: 7, items: 'x' }, []],
    ['without members of Object.prototype', JSON.parse('{"__proto__":1,"toString":2}'), {}, ['__proto__', 'toString']],
  ] as const) {
    test(`is accepted ${what}`, () => {
      const taken = takeBody(body, given)
      assert.deepEqual(taken.ignored, ignored)
      assert.equal(JSON.stringify(taken.value), JSON.stringify(value))
    })
  }

  test('that is no object is left for the schema to refuse', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.integer())), (given) =>
        assert.deepEqual(takeBody(body, given), { value: given, ignored: [] }),
      ),
    )
  })

  test('is wholly ignored if the operation has none', () => {
    assert.deepEqual(takeBody(undefined, { a: 1, b: 2 }), { value: undefined, ignored: ['a', 'b'] })
    assert.deepEqual(takeBody(undefined, undefined), { value: undefined, ignored: [] })
  })

  test('of known fields stays as it is', () => {
    const known = fc.record(
      {
        room: fc.string(),
        push: fc.boolean(),
        kind: fc.constantFrom('a', 'b'),
        free: fc.dictionary(fc.string(), fc.integer()),
      },
      { requiredKeys: ['room'], noNullPrototype: true },
    )
    fc.assert(fc.property(known, (given) => assert.deepEqual(takeBody(body, given), { value: given, ignored: [] })))
  })
})

describe('a query of the interface', () => {
  const query = z.strictObject({
    q: z.string().optional(),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    page: z.coerce.number().int().optional(),
  })

  for (const [what, given, value, ignored] of [
    ['without unknown parameters', { q: '', sort: 'up' }, { q: '' }, ['sort']],
    ['with a limit lowered to the maximum', { limit: '1000' }, { limit: '100' }, []],
    ['with a limit within the maximum', { limit: '100' }, { limit: '100' }, []],
    ['with an invalid limit', { limit: '1e9' }, { limit: '1e9' }, []],
    ['with any other number, however large', { page: '1000' }, { page: '1000' }, []],
    ['without members of Object.prototype', { toString: 'x' }, {}, ['toString']],
  ] as const) {
    test(`is accepted ${what}`, () => assert.deepEqual(takeQuery(query, given), { value, ignored }))
  }

  test('is wholly ignored if the operation has none', () => {
    assert.deepEqual(takeQuery(undefined, { a: '1' }), { value: {}, ignored: ['a'] })
  })
})
