import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { createWake } from './wake.ts'

describe('a loop that sleeps', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const { signal } = new AbortController()
  /** Whether the sleep is over. */
  function watched(sleep: Promise<void>): { isOver: boolean } {
    const state = { isOver: false }
    void sleep.then(() => {
      state.isOver = true
      return undefined
    })
    return state
  }

  test('sleeps for the given time', async () => {
    const sleep = watched(createWake().sleep(100, signal))
    await vi.advanceTimersByTimeAsync(99)
    assert.equal(sleep.isOver, false)
    await vi.advanceTimersByTimeAsync(1)
    assert.equal(sleep.isOver, true)
  })

  test('can be woken', async () => {
    const wake = createWake()
    const sleep = watched(wake.sleep(100, signal))
    wake.up()
    await vi.advanceTimersByTimeAsync(0)
    assert.equal(sleep.isOver, true)
    assert.equal(vi.getTimerCount(), 0)
  })

  test('skips one sleep if work arrived meanwhile', async () => {
    const wake = createWake()
    wake.up()
    await wake.sleep(100, signal)
    const next = watched(wake.sleep(100, signal))
    await vi.advanceTimersByTimeAsync(50)
    assert.equal(next.isOver, false)
  })

  test('does not sleep once the signal aborts', async () => {
    const ending = new AbortController()
    const sleep = watched(createWake().sleep(100, ending.signal))
    ending.abort()
    await vi.advanceTimersByTimeAsync(0)
    assert.equal(sleep.isOver, true)
    await createWake().sleep(100, ending.signal)
  })
})
