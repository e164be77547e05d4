import assert from 'node:assert/strict'
import type { Presence } from '@parley/presence/connect'
import { nodeTtlMS } from '@parley/presence/connection-counts'
import type { Logger } from '@parley/service/log'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { createConnectionReports } from './connection-reports.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A node's reports to a Redis without data of other nodes. */
async function reportsTo(redis: { isAway: boolean }) {
  const counts: number[] = []
  const raised: string[] = []
  const evaluate = async (_script: string, keys: number, ...args: unknown[]) => {
    if (redis.isAway) throw new Error('Redis is away')
    if (keys === 1) return raised.push(args.slice(1).join())
    const count = Number(args[4])
    counts.push(count)
    return [count, minute, count]
  }
  const minute = Math.floor(Date.now() / 60_000)
  const presence = { redis: { eval: evaluate, scanStream: async function* () {} } } as unknown as Presence
  const reports = await createConnectionReports(presence, 'node', { warn: () => undefined } as unknown as Logger)
  return { reports, counts, raised, minute }
}

test('the last socket of an app is reported gone until Redis has it, and not after', async () => {
  const redis = { isAway: false }
  const { reports, counts } = await reportsTo(redis)
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

test('a burst during a report is reported, but not the counts on its way down', async () => {
  const { reports, counts } = await reportsTo({ isAway: false })
  for (const count of [3, 2, 1, 0]) reports.changed('app', count)
  await reports.reported('app')
  assert.deepEqual(counts, [3, 0])
  for (const count of [1, 2, 5, 4, 1]) reports.changed('app', count)
  await reports.reported('app')
  assert.deepEqual(counts, [3, 0, 1, 5, 1])
})

test('reports lost by Redis, or missed while it was away, are sent when it is back', async () => {
  const redis = { isAway: false }
  const { reports, counts, raised, minute } = await reportsTo(redis)
  for (const count of [1, 2, 1]) reports.changed('app', count)
  await reports.reported('app')
  redis.isAway = true
  for (const count of [2, 5, 1]) reports.changed('app', count)
  await reports.reported('app')
  redis.isAway = false
  counts.length = 0
  await reports.reportAgain()
  assert.deepEqual([counts, raised], [[1], [`${minute},5`]])
})
