import assert from 'node:assert/strict'
import { ApiError } from '@parley/contracts/errors'
import { maxMessageBytes } from '@parley/contracts/resources/message'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { batchTemplate } from './batch-template.ts'

const names = ['$name$', '$n$', '$a b$', '$€$']

/** Maps every text of a value, but no field names. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapTexts(inner, change)]))
}

/** Reference implementation: replaces patterns from left to right, without searching the replacements. */
function replaced(message: unknown, patterns: Record<string, string>): unknown {
  const known = Object.keys(patterns).map((name) => name.replaceAll('$', String.raw`\$`))
  if (known.length === 0) return message
  return mapTexts(message, (text) => text.replaceAll(new RegExp(known.join('|'), 'g'), (name) => patterns[name] ?? ''))
}

const text = fc
  .array(fc.oneof(fc.constantFrom(...names, '$', '$$', '"', '\\', '\n', '😀'), fc.string({ maxLength: 5 })), {
    maxLength: 6,
  })
  .map((parts) => parts.join(''))
const { message } = fc.letrec((tie) => ({
  message: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.constantFrom(null, true, 1.5),
    fc.array(tie('message'), { maxLength: 3 }),
    fc.dictionary(text, tie('message'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))
const patterns = fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 4, noNullPrototype: true })

describe('the template of a batch', () => {
  test('replaces every pattern of a recipient once in every text, but not in field names', () => {
    fc.assert(
      fc.property(message, fc.array(patterns, { minLength: 1, maxLength: 4 }), (given, recipients) => {
        const contentFor = batchTemplate(given)
        for (const each of recipients) {
          assert.equal(contentFor(each), JSON.stringify(replaced(given, each)))
        }
      }),
      { numRuns: 500 },
    )
  })

  test('refuses results over 64 KiB as JSON before they are built, and nothing smaller', () => {
    const max = maxMessageBytes - '{"text":""}'.length
    fc.assert(
      fc.property(fc.constantFrom('a', '"', 'ü', '😀', '\n'), fc.integer({ min: -3, max: 3 }), (character, over) => {
        const bytes = Buffer.byteLength(JSON.stringify(character)) - 2
        const count = Math.floor(max / bytes) + over
        const fill = () => batchTemplate({ text: '$n$' })({ $n$: character.repeat(count) })
        if (count * bytes <= max) assert.equal(JSON.parse(fill()).text, character.repeat(count))
        else assert.throws(fill, (error) => error instanceof ApiError && error.code === 'MESSAGE_TOO_LARGE')
      }),
    )
  })

  test('refuses results of gigabytes at once', () => {
    const contentFor = batchTemplate('$n$'.repeat(20_000))
    assert.throws(() => contentFor({ $n$: 'x'.repeat(1_000_000) }), { code: 'MESSAGE_TOO_LARGE' })
  })
})
