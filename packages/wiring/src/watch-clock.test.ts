import assert from 'node:assert/strict'
import { clock } from '@parley/async/clock'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { measureWhenDue } from './watch-clock.ts'

describe('a check of the clock', () => {
  let measured: number
  let check: () => Promise<void>
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    measured = 0
    check = measureWhenDue(async () => void measured++)
    await check()
  })
  afterEach(() => {
    vi.useRealTimers()
    clock.correct({ askedMS: 0, roundTripMS: 0, readMS: 0 })
  })

  async function checkAfter(ms: number): Promise<number> {
    vi.advanceTimersByTime(ms)
    await check()
    return measured
  }

  test('measures at once, and again when the last measurement is old', async () => {
    assert.equal(measured, 1)
    assert.equal(await checkAfter(8_000), 1)
    assert.equal(await checkAfter(2_000), 2)
    assert.equal(await checkAfter(2_000), 2)
  })

  for (const byMS of [-3_600_000, 500]) {
    test(`measures once after a step of ${byMS} ms`, async () => {
      vi.setSystemTime(Date.now() + byMS)
      assert.equal(await checkAfter(2_000), 2)
      assert.equal(await checkAfter(2_000), 2)
    })
  }

  test('measures every time while the clock is off', async () => {
    clock.correct({ askedMS: 0, roundTripMS: 0, readMS: 8_000 })
    assert.equal(await checkAfter(2_000), 2)
    assert.equal(await checkAfter(2_000), 3)
  })

  test('measures again after a failure', async () => {
    let fails = 0
    const failing = measureWhenDue(async () => {
      fails++
      throw new Error('MongoDB is away')
    })
    await assert.rejects(failing())
    await assert.rejects(failing())
    assert.equal(fails, 2)
  })
})
