import { type Filter, Long } from 'mongodb'
import type { Db } from '../db.ts'
import { idsOf } from '../keys.ts'
import {
  type Bucket,
  type BucketLevel,
  bucketLevels,
  bucketOf,
  inRange,
  keptLevels,
  levels,
  type TimeRange,
  upsertBuckets,
} from './buckets.ts'
import type { StatsUserDoc } from './documents.ts'

export interface ActiveUser {
  document: Bucket & { user: string }
  /** The minute bits to set. */
  minutes: bigint
}

const { minute, hour } = bucketLevels

export class ActiveUsers {
  readonly #byID = new Map<string, ActiveUser>()

  get size(): number {
    return this.#byID.size
  }

  add(level: BucketLevel, { app, user, atMS }: { app: string; user: string; atMS: number }): void {
    const isOfHour = level !== 'day'
    const bucket = bucketOf(isOfHour ? 'hour' : level, app, atMS, user)
    const known = this.#byID.get(bucket._id) ?? { document: { ...bucket, user }, minutes: 0n }
    if (isOfHour) known.minutes |= 1n << BigInt(minuteOfHour(atMS))
    this.#byID.set(bucket._id, known)
  }

  /** Returns and clears everything collected. */
  take(): ActiveUser[] {
    const all = [...this.#byID.values()]
    this.#byID.clear()
    return all
  }
}

/** Records users as active at a time, in the buckets of these levels. */
export async function recordActiveUsers(
  db: Db,
  users: readonly { app: string; user: string; atMS: number }[],
  ofLevels: readonly BucketLevel[] = levels,
): Promise<void> {
  const active = new ActiveUsers()
  for (const user of users) {
    for (const level of keptLevels(user.atMS)) if (ofLevels.includes(level)) active.add(level, user)
  }
  await writeActiveUsers(db, active.take())
}

export async function writeActiveUsers(db: Db, active: readonly ActiveUser[]): Promise<void> {
  await upsertBuckets(
    db.statsUsers,
    active.map(({ document: { _id, ...rest }, minutes }) => ({
      updateOne: {
        filter: { _id },
        update: { $setOnInsert: rest, ...(minutes > 0n && { $bit: { minutes: { or: Long.fromBigInt(minutes) } } }) },
        upsert: true,
      },
    })),
  )
}

export async function findActiveUsers(db: Db, app: string, ranges: readonly TimeRange[]): Promise<string[]> {
  if (ranges.length === 0) return []
  const within = ranges.flatMap((range): Filter<StatsUserDoc>[] =>
    range.level === 'minute' ? minutesIn(app, range) : [inRange(app, range)],
  )
  const users = await db.statsUsers
    .aggregate<{ _id: string }>([{ $match: { $or: within } }, { $group: { _id: '$user' } }, { $sort: { _id: 1 } }])
    .toArray()
  return idsOf(users)
}

/** Matches the minutes of a period as bits of their hours. */
function minutesIn(app: string, { fromMS, toMS }: TimeRange): Filter<StatsUserDoc>[] {
  const count = Math.ceil((toMS - fromMS) / minute.sizeMS)
  const minutes = Array.from({ length: count }, (_, i) => fromMS + i * minute.sizeMS)
  return [...Map.groupBy(minutes, (atMS) => atMS - (atMS % hour.sizeMS))].map(([hourMS, within]) => ({
    app,
    level: 'hour',
    at: new Date(hourMS),
    minutes: { $bitsAnySet: within.map(minuteOfHour) },
  }))
}

function minuteOfHour(atMS: number): number {
  return Math.floor((atMS % hour.sizeMS) / minute.sizeMS)
}
