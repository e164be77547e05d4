import type { Db } from '../db.ts'
import { bucketLevels, bucketOf, inRanges, levels, type TimeRange, upsertBuckets } from './buckets.ts'

const minuteMS = bucketLevels.minute.sizeMS

/** Records the peak number of connections per minute (minutes since 1970). */
export async function recordPeaks(db: Db, app: string, peaks: ReadonlyMap<number, number>): Promise<void> {
  const writes = [...peaks].flatMap(([minute, peak]) =>
    levels.map((level) => {
      const { _id, ...rest } = bucketOf(level, app, minute * minuteMS)
      return { updateOne: { filter: { _id }, update: { $max: { peak }, $setOnInsert: rest }, upsert: true } }
    }),
  )
  await upsertBuckets(db.statsPeaks, writes)
}

export async function findPeak(db: Db, app: string, ranges: readonly TimeRange[]): Promise<number> {
  if (ranges.length === 0) return 0
  const [highest] = await db.statsPeaks.find(inRanges(app, ranges)).sort({ peak: -1 }).limit(1).toArray()
  return highest?.peak ?? 0
}

/** The peak number of connections per bucket since a time, by the bucket's start in milliseconds. */
export async function findPeaksSince(
  db: Db,
  app: string,
  level: 'minute' | 'hour',
  sinceMS: number,
): Promise<Map<number, number>> {
  const found = await db.statsPeaks.find({ app, level, at: { $gte: new Date(sinceMS) } }).toArray()
  return new Map(found.map(({ at, peak }) => [at.getTime(), peak]))
}
