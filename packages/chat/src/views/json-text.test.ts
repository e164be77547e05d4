import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { JsonText, jsonObjectText, listText, withField } from './json-text.ts'

const json = fc.json()
const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', '"', '\\'))

async function all(parts: JsonText['parts']): Promise<string> {
  const texts: string[] = []
  for await (const part of parts) texts.push(part)
  return texts.join('')
}
async function* given<T>(parts: readonly T[]): AsyncGenerator<T> {
  yield* parts
}

describe('JSON assembled from texts', () => {
  test('an object with a further field', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), name, json, (object, field, text) => {
        // Existing fields are not supported.
        fc.pre(!Object.hasOwn(object, field))
        const made = JSON.parse(withField(object, field, text)) as Record<string, unknown>
        assert.equal(Object.keys(made).length, Object.keys(JSON.parse(JSON.stringify(object))).length + 1)
        assert.equal(
          JSON.stringify(Object.entries(made).find(([each]) => each === field)?.[1]),
          JSON.stringify(JSON.parse(text)),
        )
      }),
    )
  })

  test('an object of values by name, including names like __proto__', () => {
    const entries = fc.uniqueArray(fc.record({ name, json }), { selector: (entry) => entry.name })
    fc.assert(
      fc.property(entries, (values) => {
        const object = JSON.parse(jsonObjectText(values)) as object
        assert.equal(Object.getPrototypeOf(object), Object.prototype)
        assert.equal(Object.keys(object).length, values.length)
        for (const value of values) {
          const own = Object.getOwnPropertyDescriptor(object, value.name)?.value as unknown
          assert.equal(JSON.stringify(own), JSON.stringify(JSON.parse(value.json)))
        }
      }),
    )
  })

  test('a list and a page, in any parts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(json, { maxLength: 3 }), { maxLength: 5 }), async (parts) => {
        const values = parts.flat().map((text) => JSON.parse(text) as unknown)
        assert.equal(JSON.stringify(JSON.parse(await all(listText(given(parts))))), JSON.stringify(values))
        const page = await all(JsonText.page(7, given(parts)).parts)
        assert.equal(JSON.stringify(JSON.parse(page)), JSON.stringify({ totalCount: 7, data: values }))
      }),
    )
  })
})
