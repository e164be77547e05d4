import assert from 'node:assert/strict'
import { afterEach, beforeEach, test, vi } from 'vitest'
import type { Connection } from './address-limit.ts'
import { watchIdleSockets } from './idle-sockets.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an unauthenticated connection is closed in time even if the clock is set back or forward', () => {
  const closed: string[] = []
  const connect = (name: string) => ({ close: () => closed.push(name) }) as unknown as Connection
  const idle = watchIdleSockets(30_000, { ended: () => undefined })
  const setClock = (byMS: number) => vi.setSystemTime(Date.now() + byMS)
  idle.opened(connect('before'))
  setClock(-3_600_000)
  idle.opened(connect('after'))
  vi.advanceTimersByTime(29_000)
  setClock(7_200_000)
  vi.advanceTimersByTime(500)
  assert.deepEqual(closed, [])
  vi.advanceTimersByTime(2_000)
  idle.stop()
  assert.deepEqual(new Set(closed), new Set(['before', 'after']))
})
