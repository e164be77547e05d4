import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createRecent } from './recent.ts'

describe('a recent event ID', () => {
  test('is known until it is deleted', () => {
    const recent = createRecent<number>()
    recent.set('a', 1)
    recent.set('a', 2)
    assert.deepEqual([recent.get('a'), recent.get('b')], [2, undefined])
    recent.delete('a')
    assert.equal(recent.get('a'), undefined)
  })

  test('is evicted after 50,000 newer ones', () => {
    const recent = createRecent<number>()
    for (let i = 0; i < 100_000; i++) recent.set(String(i), i)
    assert.equal(recent.get('50000'), 50_000)
    assert.equal(recent.get('49999'), undefined)
  })

  test('expires after the duplicate window of the stream', () => {
    const recent = createRecent<number>()
    recent.set('a', 1)
    const leftMS = recent.getRemainingTTL('a')
    assert.ok(leftMS > 120_000 && leftMS <= 150_000)
  })
})
