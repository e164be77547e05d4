import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { createRecent } from './recent.ts'

describe('what passed over the bus lately', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is known by its ID until it is deleted', () => {
    const recent = createRecent<number>()
    recent.set('a', 1)
    recent.set('a', 2)
    assert.deepEqual([recent.get('a'), recent.get('b')], [2, undefined])
    recent.delete('a')
    assert.equal(recent.get('a'), undefined)
  })

  test('is known for two and a half minutes at least, however much else comes by time', () => {
    const recent = createRecent<string>()
    for (let second = 0; second < 1_000; second++) {
      recent.set(`at ${second}`, 'here')
      for (const ago of [0, 60, 149])
        if (ago <= second) assert.equal(recent.get(`at ${second - ago}`), 'here', `${second} ${ago}`)
      vi.advanceTimersByTime(1_000)
    }
  })

  test('is known until 50,000 more have come, and not for ever', () => {
    const recent = createRecent<number>()
    for (let i = 0; i < 200_000; i++) {
      recent.set(String(i), i)
      const before = i - 49_999
      if (before >= 0) assert.equal(recent.get(String(before)), before)
    }
    assert.equal(recent.get('0'), undefined)
    assert.equal(recent.get('99000'), undefined)
  })

  test('that is old is forgotten as others come', () => {
    const recent = createRecent<number>()
    recent.set('old', 1)
    for (let i = 0; i < 2; i++) {
      vi.advanceTimersByTime(200_000)
      recent.set(`later ${i}`, 1)
    }
    assert.equal(recent.get('old'), undefined)
  })

  test('that is deleted is not found again among what came before', () => {
    const recent = createRecent<number>()
    recent.set('a', 1)
    vi.advanceTimersByTime(200_000)
    recent.set('b', 1)
    recent.delete('a')
    assert.equal(recent.get('a'), undefined)
  })
})
