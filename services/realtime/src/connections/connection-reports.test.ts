import assert from 'node:assert/strict'
import type { Presence } from '@parley/presence/connect'
import { nodeTtlMS } from '@parley/presence/connection-counts'
import type { Logger } from '@parley/service/log'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { createConnectionReports } from './connection-reports.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('that the last socket of an app is gone is reported again until Redis has it, and not after', async () => {
  const counts: number[] = []
  const redis = { isAway: false }
  const evaluate = async (_script: string, _keys: number, ...args: unknown[]) => {
    if (redis.isAway) throw new Error('Redis is away')
    counts.push(Number(args[4]))
  }
  const presence = { redis: { eval: evaluate } } as unknown as Presence
  const reports = createConnectionReports(presence, 'node', { warn: () => undefined } as unknown as Logger)
  reports.changed('app', 1)
  await reports.reported('app')
  redis.isAway = true
  reports.changed('app', 0)
  await reports.reported('app')
  redis.isAway = false
  assert.deepEqual(counts, [1])
  await vi.advanceTimersByTimeAsync(nodeTtlMS)
  assert.deepEqual(counts, [1, 0])
  await vi.advanceTimersByTimeAsync(nodeTtlMS)
  assert.deepEqual(counts, [1, 0])
})
