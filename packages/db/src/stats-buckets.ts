import { type AnyBulkWriteOperation, type IndexDescription, MongoBulkWriteError } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'

const minuteMS = 60_000
const dayMS = 86_400_000

/** The sizes of buckets, and how long they are kept: older reports use the coarser ones. */
export const bucketLevels = {
  minute: { sizeMS: minuteMS, keepMS: 3 * dayMS },
  hour: { sizeMS: 60 * minuteMS, keepMS: 40 * dayMS },
  day: { sizeMS: dayMS, keepMS: 400 * dayMS },
} as const
export type BucketLevel = keyof typeof bucketLevels

interface Bucket {
  _id: string
  app: string
  level: BucketLevel
  /** The beginning of the bucket. */
  at: Date
  expiresAt: Date
}

/**
 * A room with messages in a bucket. Their seqs have no holes and follow the time, so the first and the last say how many
 * there were, even when events repeat or arrive in another order.
 */
export interface StatsRoomDoc extends Bucket {
  room: string
  firstSeq: number
  lastSeq: number
}

/** A user who sent or was connected in a bucket. */
export interface StatsUserDoc extends Bucket {
  user: string
}

/** The peak of connections in a bucket. */
export interface StatsPeakDoc extends Bucket {
  peak: number
}

export const statsIndexes: IndexDescription[] = [
  { key: { app: 1, level: 1, at: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
]

const levels = Object.keys(bucketLevels) as BucketLevel[]

/** The levels whose buckets of a time are still kept: what was imported may be old. */
export function keptLevels(atMS: number): BucketLevel[] {
  return levels.filter((level) => atMS + bucketLevels[level].sizeMS + bucketLevels[level].keepMS > Date.now())
}

/** The bucket of a time, of one level; `of` is what it counts beside the app. */
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

export interface SentFact {
  app: string
  room: string
  user: string
  seq: number
  atMS: number
}

/** Counts messages: one write of each kind for all of them, one document per room and user in each bucket. */
export async function noteMessages(db: Db, messages: readonly SentFact[]): Promise<void> {
  const rooms = new Map<string, StatsRoomDoc>()
  for (const { app, room, seq, atMS } of messages) {
    for (const level of keptLevels(atMS)) {
      const bucket = bucketOf(level, app, atMS, room)
      const known = rooms.get(bucket._id) ?? { ...bucket, room, firstSeq: seq, lastSeq: seq }
      known.firstSeq = Math.min(known.firstSeq, seq)
      known.lastSeq = Math.max(known.lastSeq, seq)
      rooms.set(bucket._id, known)
    }
  }
  await Promise.all([
    upsert(
      db.statsRooms,
      [...rooms.values()].map(({ _id, firstSeq, lastSeq, ...rest }) => ({
        updateOne: {
          filter: { _id },
          update: { $min: { firstSeq }, $max: { lastSeq }, $setOnInsert: rest },
          upsert: true,
        },
      })),
    ),
    noteActiveUsers(db, messages),
  ])
}

/** Records users who were active at a time, in the buckets of all levels or of some. */
export async function noteActiveUsers(
  db: Db,
  users: readonly { app: string; user: string; atMS: number }[],
  ofLevels: readonly BucketLevel[] = levels,
): Promise<void> {
  const active = new Map<string, StatsUserDoc>()
  for (const { app, user, atMS } of users) {
    for (const level of keptLevels(atMS)) {
      if (!ofLevels.includes(level)) continue
      const bucket = bucketOf(level, app, atMS, user)
      active.set(bucket._id, { ...bucket, user })
    }
  }
  await upsert(
    db.statsUsers,
    [...active.values()].map(({ _id, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
    })),
  )
}

/** Records the highest number of connections of minutes (minutes since 1970). */
export async function notePeaks(db: Db, app: string, peaks: ReadonlyMap<number, number>): Promise<void> {
  const writes = [...peaks].flatMap(([minute, peak]) =>
    levels.map((level) => {
      const { _id, ...rest } = bucketOf(level, app, minute * minuteMS)
      return { updateOne: { filter: { _id }, update: { $max: { peak }, $setOnInsert: rest }, upsert: true } }
    }),
  )
  await upsert(db.statsPeaks, writes)
}

const duplicateKey = 11_000

/** Runs again when another process created the same document at the same time. */
async function upsert<T extends Bucket>(
  collection: { bulkWrite(writes: AnyBulkWriteOperation<T>[], options: object): Promise<unknown> },
  writes: AnyBulkWriteOperation<T>[],
): Promise<void> {
  if (writes.length === 0) return
  try {
    await collection.bulkWrite(writes, { ordered: false })
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || error.code !== duplicateKey) throw error
    await collection.bulkWrite(writes, { ordered: false })
  }
}

/** A part of a window: whole buckets of one level. */
export interface Stretch {
  level: BucketLevel
  fromMS: number
  toMS: number
}

function inStretches(app: string, stretches: readonly Stretch[]): object {
  const or = stretches.map(({ level, fromMS, toMS }) => ({
    app,
    level,
    at: { $gte: new Date(fromMS), $lt: new Date(toMS) },
  }))
  return { $or: or }
}

/** The rooms with messages in these parts, and how many each. */
export async function countByRoom(db: Db, app: string, stretches: readonly Stretch[]): Promise<Map<string, number>> {
  if (stretches.length === 0) return new Map()
  const count = { $add: [{ $subtract: ['$lastSeq', '$firstSeq'] }, 1] }
  const rooms = await db.statsRooms
    .aggregate<{ _id: string; count: number }>([
      { $match: inStretches(app, stretches) },
      { $group: { _id: '$room', count: { $sum: count } } },
    ])
    .toArray()
  return new Map(rooms.map(({ _id, count: messages }) => [_id, messages]))
}

/**
 * How many messages each room had in a part of a bucket, from the messages themselves: the last one before the part and
 * the last one in it, of each room with messages in the bucket. Two round trips.
 */
export async function countInPart(
  db: Db,
  app: string,
  bucket: Stretch,
  part: { fromMS: number; toMS: number },
): Promise<[string, number][]> {
  const lastSeqBefore = (beforeMS: number) => ({
    from: db.messages.collectionName,
    localField: 'roomKey',
    foreignField: 'roomKey',
    pipeline: [
      { $match: { createdAtMS: { $lt: beforeMS } } },
      { $sort: { createdAtMS: -1 } },
      { $limit: 1 },
      // Messages that were brought over may share their time.
      {
        $lookup: {
          ...{ from: db.messages.collectionName, localField: 'roomKey', foreignField: 'roomKey', as: 'last' },
          let: { atMS: '$createdAtMS' },
          pipeline: [
            { $match: { $expr: { $eq: ['$createdAtMS', '$$atMS'] } } },
            { $sort: { seq: -1 } },
            { $limit: 1 },
            { $project: { _id: 0, seq: 1 } },
          ],
        },
      },
      { $replaceWith: { $first: '$last' } },
    ],
  })
  type Found = { _id: string; roomKey: string; before: { seq: number }[]; upTo: { seq: number }[] }
  const rooms = await db.statsRooms
    .aggregate<Found>([
      { $match: inStretches(app, [bucket]) },
      { $group: { _id: '$room' } },
      { $set: { roomKey: { $concat: [{ $literal: key(app, '') }, '$_id'] } } },
      { $lookup: { ...lastSeqBefore(part.fromMS), as: 'before' } },
      { $lookup: { ...lastSeqBefore(part.toMS), as: 'upTo' } },
    ])
    .toArray()
  const ends = await findEnds(
    db,
    rooms.map(({ roomKey }) => roomKey),
  )
  return rooms.flatMap(({ _id, roomKey, before, upTo }) => {
    // What an import has not reached lies beyond the end.
    const seqOf = ([last]: { seq: number }[]) => Math.min(last?.seq ?? 0, ends.get(roomKey) ?? Infinity)
    const count = seqOf(upTo) - seqOf(before)
    return count > 0 ? [[_id, count] as [string, number]] : []
  })
}

/** The seq of the last message of each of these rooms. */
async function findEnds(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map()
  const rooms = await db.rooms.find({ _id: { $in: [...keys] } }, { projection: { seq: 1 } }).toArray()
  return new Map(rooms.map(({ _id, seq }) => [_id, seq]))
}

/** The users who were active in these parts. */
export async function findActiveUsers(db: Db, app: string, stretches: readonly Stretch[]): Promise<string[]> {
  if (stretches.length === 0) return []
  const users = await db.statsUsers
    .aggregate<{ _id: string }>([
      { $match: inStretches(app, stretches) },
      { $group: { _id: '$user' } },
      { $sort: { _id: 1 } },
    ])
    .toArray()
  return users.map(({ _id }) => _id)
}

/** The peak of connections in these parts. */
export async function findPeak(db: Db, app: string, stretches: readonly Stretch[]): Promise<number> {
  if (stretches.length === 0) return 0
  const [highest] = await db.statsPeaks.find(inStretches(app, stretches)).sort({ peak: -1 }).limit(1).toArray()
  return highest?.peak ?? 0
}
