import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { firstIdNumber, idNumber, timeOfIdNumber } from './id-number.ts'
import { newId } from './messages.ts'

describe('the number of a message ID', () => {
  test('tells IDs of one process apart, is exact, and gives their second', () => {
    const ids = Array.from({ length: 50_000 }, newId)
    const numbers = ids.map((id) => idNumber(id) ?? Number.NaN)
    assert.equal(new Set(numbers).size, ids.length)
    assert.ok(numbers.every(Number.isSafeInteger))
    const last = Math.floor(Date.now() / 1_000) * 1_000
    assert.ok(numbers.every((number) => Math.abs(timeOfIdNumber(number) - last) < 600_000))
    assert.ok(numbers.every((number) => number >= firstIdNumber(timeOfIdNumber(number))))
  })

  test('is of the IDs that Parley makes only', () => {
    for (const id of ['message 7', '', 'F'.repeat(24), 'f'.repeat(23), 'f'.repeat(25), `${'f'.repeat(24)}\n`]) {
      assert.equal(idNumber(id), undefined, id)
    }
  })
})
