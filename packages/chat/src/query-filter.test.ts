import assert from 'node:assert/strict'
import { ApiError } from '@parley/contracts/errors'
import * as fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, test } from 'vitest'
import { patternSize } from './pattern-size.ts'
import { parseQuery } from './query-filter.ts'
import { userFields } from './users/list-users.ts'

const patternParts = fc.constantFrom(
  ...[
    'a',
    'ſ',
    '(',
    ')',
    '(?:',
    '(?i)',
    '(?=',
    '(?P<n>',
    '|',
    '*',
    '+',
    '?',
    '{2}',
    '{3,}',
    '{0,5}',
    '{2,7}',
    '{1000}',
  ],
  ...[
    '{0,1000}',
    '{',
    '}',
    '[',
    ']',
    '[a-c]',
    '[^]x]',
    '[]a]',
    '[[:alpha:]]',
    '[(]',
    '[)]',
    '\\[',
    '\\(',
    '\\)',
    '\\\\',
  ],
  ...[
    '\\Q(\\E',
    '\\Q)\\E',
    '\\Qa{3}\\E',
    '\\Q',
    '\\E',
    '\\pL',
    '\\p{Greek}',
    '\\1',
    '\\x{10FFFF}',
    '\\b',
    '.',
    '^',
    '$',
  ],
  ...['{x}', '{10', '\0', '\ud800'],
)
const patterns = fc.array(patternParts, { maxLength: 40 }).map((parts) => parts.join(''))
const names = fc.oneof(
  fc.constantFrom('_id', 'id', 'nickname', 'email', 'isRobot', 'createdAt', 'lastLoginTimeMS', '$and', '$or', '$nor'),
  fc.constantFrom('$where', '$expr', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'tokens', 'a.b', ''),
  fc.string(),
)
const operators = fc.oneof(
  fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists', '$type', '$regex', '$options'),
  fc.constantFrom('$not', '$function', '$elemMatch', '__proto__', 'constructor'),
)
const scalars = fc.oneof(
  patterns,
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.date().map((date) => (Number.isNaN(date.getTime()) ? 'no date' : date.toISOString())),
)
/** Well-formed filters with arbitrary content, and arbitrary text. */
const filters = fc.letrec<{ filter: unknown; condition: unknown; value: unknown }>((tie) => ({
  filter: fc.dictionary(names, fc.oneof(tie('condition'), fc.array(tie('filter'), { maxLength: 3 })), { maxKeys: 4 }),
  condition: fc.oneof(scalars, fc.dictionary(operators, tie('value'), { maxKeys: 3 })),
  value: fc.oneof(scalars, fc.array(scalars, { maxLength: 4 }), tie('condition')),
})).filter
const texts = fc.oneof(
  { weight: 6, arbitrary: filters.map((filter) => JSON.stringify(filter)) },
  { weight: 3, arbitrary: patterns.map(($regex) => JSON.stringify({ nickname: { $regex, $options: 'i' } })) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
)

/** Parses a filter and returns whether it was accepted. Rethrows anything but an ApiError. */
function isTaken(q: string): boolean {
  try {
    parseQuery(q, userFields)
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'INVALID_QUERY') throw error
    assert.ok(error.message.length < q.length + 1_000)
    return false
  }
}

describe('the filter q', () => {
  test('accepts any input or refuses it with an ApiError', () => {
    const taken = { count: 0 }
    fc.assert(
      fc.property(texts, (q) => {
        if (isTaken(q)) taken.count++
      }),
      { numRuns: 5_000 },
    )
    assert.ok(taken.count > 100, 'not all are refused')
  })

  // Compiled, each of these keeps the process busy for seconds, and some take gigabytes.
  const large: [what: string, patterns: string[]][] = [
    ['a long group repeated', [`(${'a'.repeat(450)}){1000}`]],
    ['many repetitions', ['x{0,1000}'.repeat(50)]],
    ['nested repetitions', ['(x{30}){30}'.repeat(40)]],
    ['a quotation that closes no group', [`(${'a'.repeat(400)}\\Q)\\E){1000}`]],
    ['many patterns that are each small enough', Array.from({ length: 40 }, () => 'x{0,900}')],
  ]
  for (const [what, list] of large) {
    test(`${what} is refused before it is compiled`, () => {
      assert.throws(
        () => parseQuery(JSON.stringify({ $or: list.map(($regex) => ({ nickname: { $regex } })) }), userFields),
        ({ message }: Error) => /^q.*\$regex: too large/.test(message),
      )
    })
  }

  test('patternSize bounds the compiled size of a pattern', () => {
    fc.assert(
      fc.property(patterns, (pattern) => {
        const size = patternSize(pattern)
        if (size > 5_000) return
        let compiled: RE2JS
        try {
          compiled = RE2JS.compile(pattern)
        } catch {
          return
        }
        assert.ok(compiled.programSize() <= 2 * size + 5, `${compiled.programSize()} of ${size}`)
      }),
      {
        numRuns: 5_000,
        examples: [
          ['a{{2,7}k{0,5}'],
          ['\\Q\\){0,5}{0,5}'],
          ['[]a]{1000}'],
          ['[[:alpha:]]{1000}'],
          ['(?P<n>ab){900}'],
          ['(){1000}'],
        ],
      },
    )
  })

  test('accepts a typical filter', () => {
    for (const $regex of [
      '^A',
      '^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,24}$',
      '\\d{4}-\\d{2}-\\d{2}',
      '(ab|cd){1,64}',
    ]) {
      assert.ok(isTaken(JSON.stringify({ nickname: { $regex, $options: 'i' } })), $regex)
    }
  })
})
