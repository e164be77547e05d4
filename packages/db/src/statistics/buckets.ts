import { clock, dayMS } from '@parley/async/clock'
import type { AnyBulkWriteOperation, IndexDescription } from 'mongodb'
import { key } from '../keys.ts'
import { minuteMS } from '../minutes.ts'
import { isServerError } from '../server-errors.ts'

/** Bucket sizes and retention. Reports about older periods use coarser buckets. */
export const bucketLevels = {
  minute: { sizeMS: minuteMS, keepMS: 3 * dayMS },
  hour: { sizeMS: 60 * minuteMS, keepMS: 40 * dayMS },
  day: { sizeMS: dayMS, keepMS: 400 * dayMS },
} as const
export type BucketLevel = keyof typeof bucketLevels

export interface Bucket {
  _id: string
  app: string
  level: BucketLevel
  /** Start of the bucket. */
  at: Date
  expiresAt: Date
}

export const statsIndexes: IndexDescription[] = [
  { key: { app: 1, level: 1, at: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
]

/** Finest first. */
export const levels: readonly BucketLevel[] = Object.keys(bucketLevels) as BucketLevel[]

/** The levels with unexpired buckets for a time; imported data can be old. */
export function keptLevels(atMS: number): BucketLevel[] {
  return levels.filter((level) => atMS + bucketLevels[level].sizeMS + bucketLevels[level].keepMS > clock.now())
}

export function bucketOf(level: BucketLevel, app: string, atMS: number, ...of: string[]): Bucket {
  const { sizeMS, keepMS } = bucketLevels[level]
  const beginMS = atMS - (atMS % sizeMS)
  return {
    _id: key(app, level, String(beginMS), ...of),
    app,
    level,
    at: new Date(beginMS),
    expiresAt: new Date(beginMS + sizeMS + keepMS),
  }
}

/** Retries if another process created the same document concurrently. */
export async function upsertBuckets<T extends Bucket>(
  collection: { bulkWrite(writes: AnyBulkWriteOperation<T>[], options: object): Promise<unknown> },
  writes: AnyBulkWriteOperation<T>[],
): Promise<void> {
  if (writes.length === 0) return
  try {
    await collection.bulkWrite(writes, { ordered: false })
  } catch (error) {
    if (!isServerError(error, 'DuplicateKey')) throw error
    await collection.bulkWrite(writes, { ordered: false })
  }
}

/** A part of a window: whole buckets of one level. */
export interface TimeRange {
  level: BucketLevel
  fromMS: number
  toMS: number
}

export function inRange(app: string, { level, fromMS, toMS }: TimeRange) {
  return { app, level, at: { $gte: new Date(fromMS), $lt: new Date(toMS) } }
}

/** Matches the buckets of several ranges; at least one is required. */
export function inRanges(app: string, ranges: readonly TimeRange[]): object {
  return { $or: ranges.map((range) => inRange(app, range)) }
}
