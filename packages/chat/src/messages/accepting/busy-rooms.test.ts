import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import { type BusyRooms, busyPerSecond, createBusyRooms } from './busy-rooms.ts'

describe('a room that several gateways send to', () => {
  let busy: BusyRooms
  let seq: number
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance'] })
    busy = createBusyRooms()
    seq = 0
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** For a second this gateway sends ten times, and all gateways together so many messages. */
  function second(messages: number): void {
    for (let i = 0; i < 10; i++) {
      vi.advanceTimersByTime(100)
      seq += messages / 10
      busy.saw('room', seq)
    }
  }

  test(`is busy from ${busyPerSecond} messages a second on, whoever sends them, and until it has half as many`, () => {
    const rates = [990, 1_010, 990, 510, 490, 510, 990, 1_010]
    const isBusy = rates.map((rate) => {
      second(rate)
      return busy.has('room')
    })
    assert.deepEqual(isBusy, [false, true, true, true, false, false, false, true])
    assert.ok(!busy.has('another room'))
  })

  test('is not busy by its first message, nor when nothing was sent there for long', () => {
    busy.saw('room', 1_000_000)
    assert.ok(!busy.has('room'))
    seq = 1_000_000
    second(2_000)
    assert.ok(busy.has('room'))
    vi.advanceTimersByTime(2_100)
    assert.ok(!busy.has('room'))
  })
})
