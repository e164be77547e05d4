import assert from 'node:assert/strict'
import { test } from 'vitest'
import { textOf } from '../index.ts'

const cases: [Parameters<typeof textOf>[0], string][] = [
  [{ message: 'Hello' }, 'Hello'],
  [{ message: { text: 'A picture', url: 'https://example.com/a.png' } }, 'A picture'],
  [{ message: { url: 'https://example.com/a.png' } }, ''],
  [{ message: { text: 7 } }, ''],
  [{ message: null }, ''],
  [{}, ''],
  [{ message: 'gone', isDeleted: true }, ''],
  [{ message: 'gone', messageType: 'recall' }, ''],
]
for (const [message, text] of cases) {
  test(`the text of ${JSON.stringify(message)} is ${JSON.stringify(text)}`, () => {
    assert.equal(textOf(message), text)
  })
}
