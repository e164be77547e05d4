import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { recordActiveUsers } from './active-users.ts'
import { bucketOf, inRanges, keptLevels, type TimeRange, upsertBuckets } from './buckets.ts'
import type { StatsRoomDoc } from './documents.ts'

export interface SentFact {
  app: string
  room: string
  user: string
  seq: number
  atMS: number
}

/** Counts messages, with one bulk write each for rooms and users. */
export async function recordMessages(db: Db, messages: readonly SentFact[]): Promise<void> {
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
    upsertBuckets(
      db.statsRooms,
      [...rooms.values()].map(({ _id, firstSeq, lastSeq, ...rest }) => ({
        updateOne: {
          filter: { _id },
          update: { $min: { firstSeq }, $max: { lastSeq }, $setOnInsert: rest },
          upsert: true,
        },
      })),
    ),
    recordActiveUsers(db, messages),
  ])
}

export async function countByRoom(db: Db, app: string, ranges: readonly TimeRange[]): Promise<Map<string, number>> {
  if (ranges.length === 0) return new Map()
  const count = { $add: [{ $subtract: ['$lastSeq', '$firstSeq'] }, 1] }
  const rooms = await db.statsRooms
    .aggregate<{ _id: string; count: number }>([
      { $match: inRanges(app, ranges) },
      { $group: { _id: '$room', count: { $sum: count } } },
    ])
    .toArray()
  return new Map(rooms.map(({ _id, count: messages }) => [_id, messages]))
}

/** The number of messages per room in a part of a bucket: the difference of two last seqs. Two round trips. */
export async function countInPart(
  db: Db,
  app: string,
  bucket: TimeRange,
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
      // Imported messages can share a time.
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
  const isBefore = (beforeMS: number) => ({
    $and: [{ $gt: ['$$this._id', null] }, { $lt: ['$$this.createdAtMS', beforeMS] }],
  })
  const lastInBucketBefore = (beforeMS: number) => ({
    from: db.messageBuckets.collectionName,
    localField: 'roomKey',
    foreignField: 'roomKey',
    pipeline: [
      { $match: { firstMS: { $lt: beforeMS } } },
      { $sort: { firstMS: -1, number: -1 } },
      { $limit: 1 },
      { $set: { messages: { $filter: { input: '$messages', cond: isBefore(beforeMS) } } } },
      { $project: { _id: 0, seq: { $max: '$messages.seq' } } },
    ],
  })
  interface Found extends Record<'before' | 'upTo', { seq: number }[]> {
    _id: string
    roomKey: string
    inBuckets: Record<'before' | 'upTo', { seq: number }[]>
  }
  const rooms = await db.statsRooms
    .aggregate<Found>([
      { $match: inRanges(app, [bucket]) },
      { $group: { _id: '$room' } },
      { $set: { roomKey: { $concat: [{ $literal: key(app, '') }, '$_id'] } } },
      { $lookup: { ...lastSeqBefore(part.fromMS), as: 'before' } },
      { $lookup: { ...lastSeqBefore(part.toMS), as: 'upTo' } },
      { $lookup: { ...lastInBucketBefore(part.fromMS), as: 'inBuckets.before' } },
      { $lookup: { ...lastInBucketBefore(part.toMS), as: 'inBuckets.upTo' } },
    ])
    .toArray()
  const keys = rooms.map(({ roomKey }) => roomKey)
  const ends = await findEnds(db, keys)
  return rooms.flatMap(({ _id, roomKey, before, upTo, inBuckets }) => {
    // Messages beyond the room's seq belong to an unfinished import.
    const seqOf = (...last: { seq: number | null }[]) =>
      Math.min(Math.max(0, ...last.map(({ seq }) => seq ?? 0)), ends.get(roomKey) ?? Infinity)
    const count = seqOf(...upTo, ...inBuckets.upTo) - seqOf(...before, ...inBuckets.before)
    return count > 0 ? [[_id, count] as [string, number]] : []
  })
}

async function findEnds(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map()
  const rooms = await db.rooms.find({ _id: { $in: [...keys] } }, { projection: { seq: 1 } }).toArray()
  return new Map(rooms.map(({ _id, seq }) => [_id, seq]))
}
