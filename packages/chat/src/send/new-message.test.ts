import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'vitest'
import { messageTimes } from './new-message.ts'

const mebibyte = 1024 * 1024

describe('the times of messages written together', () => {
  test('increase, with at most one history page of messages per time', () => {
    const clock = fc.oneof(fc.constant(0), fc.integer({ min: Date.now() - 1_000, max: Date.now() + 1_000_000 }))
    const size = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 2 * mebibyte }))
    fc.assert(
      fc.property(clock, fc.array(size, { maxLength: 300 }), (clockMS, sizes) => {
        const beforeMS = Date.now()
        const nextTime = messageTimes({ clockMS })
        const times = sizes.map(nextTime)
        assert.ok(times.every((timeMS) => timeMS > clockMS && timeMS >= beforeMS))
        assert.deepEqual(
          times,
          times.toSorted((a, b) => a - b),
        )
        const byTime = Map.groupBy(sizes.keys(), (i) => times[i])
        for (const [timeMS, of] of byTime) {
          assert.ok(of.length <= 100)
          const bytes = of.reduce((sum, i) => sum + (sizes[i] ?? 0), 0)
          assert.ok(of.length === 1 || bytes <= mebibyte, `${bytes} bytes at ${timeMS}`)
        }
      }),
    )
  })

  test('are equal for up to 100 small messages', () => {
    const nextTime = messageTimes({ clockMS: 0 })
    const times = Array.from({ length: 101 }, () => nextTime(10))
    assert.equal(new Set(times.slice(0, 100)).size, 1)
    assert.equal(times[100], Number(times[99]) + 1)
  })
})
