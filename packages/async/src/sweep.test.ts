import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { createSweep } from './sweep.ts'

describe('a sweep', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  test('repeats until nothing is left, then has no timer until it begins again', () => {
    const left = [3, 2, 1]
    const sweep = createSweep(1_000, () => left.pop() !== undefined && left.length > 0)
    assert.equal(vi.getTimerCount(), 0)
    for (const rounds of [3, 1]) {
      sweep.begin()
      sweep.begin()
      for (let round = 0; round < rounds; round++) {
        assert.equal(vi.getTimerCount(), 1)
        vi.advanceTimersByTime(1_000)
      }
      assert.equal(vi.getTimerCount(), 0)
    }
    assert.deepEqual(left, [])
  })

  test('ends when it is stopped', () => {
    const sweep = createSweep(1_000, () => assert.fail('swept'))
    sweep.begin()
    sweep.stop()
    vi.advanceTimersByTime(10_000)
  })
})
