import type { ClientSession, Document, Filter } from 'mongodb'
import type { Db } from '../db.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { bucketKey, messagesOf, perBucket } from './buckets.ts'
import type { MessageBucketDoc } from './documents.ts'

/**
 * Messages of buckets and of `messages`. Buckets are read first, since a message moves from its bucket to `messages`: so none
 * is missed, and one that was found in both counts as it is in `messages`.
 */

/** The fields of a bucket that `messagesOf` needs. */
type BucketRead = Parameters<typeof messagesOf>[0]

/**
 * Reads buckets by some stages, and `messages` by others, in one round trip, or in two inside a transaction, in which
 * MongoDB has no $unionWith.
 * @returns the buckets, and the documents of `messages`
 */
export async function readBoth<Bucket extends BucketRead>(
  db: Db,
  inBuckets: readonly Document[],
  apart: readonly Document[],
  session?: ClientSession,
): Promise<{ buckets: Bucket[]; apart: MessageDoc[] }> {
  if (session?.inTransaction()) {
    const buckets = await db.messageBuckets.aggregate<Bucket>([...inBuckets], { session }).toArray()
    return { buckets, apart: await db.messages.aggregate<MessageDoc>([...apart], { session }).toArray() }
  }
  const union = { $unionWith: { coll: db.messages.collectionName, pipeline: [...apart] } }
  const found = await db.messageBuckets
    .aggregate<Bucket | (MessageDoc & { messages?: never })>([...inBuckets, union], { ...(session && { session }) })
    .toArray()
  const buckets: Bucket[] = []
  const messages: MessageDoc[] = []
  for (const one of found) {
    if (one.messages === undefined) messages.push(one)
    else buckets.push(one)
  }
  return { buckets, apart: messages }
}

/** Messages of buckets, less those that are in `messages` too, and those. */
export function joined(inBuckets: readonly MessageDoc[], apart: readonly MessageDoc[]): MessageDoc[] {
  const there = new Set(apart.map(({ _id }) => _id))
  return [...inBuckets.filter(({ _id }) => !there.has(_id)), ...apart]
}

/** The flushed messages with these IDs, in no order. */
export async function findByIDs(
  db: Db,
  ids: readonly string[],
  of: Filter<Pick<MessageDoc, 'app' | 'room' | 'roomKey'>> = {},
  session?: ClientSession,
): Promise<MessageDoc[]> {
  if (ids.length === 0) return []
  const wanted = { $filter: { input: '$messages', cond: { $in: ['$$this._id', { $literal: ids }] } } }
  const { buckets, apart } = await readBoth(
    db,
    [
      { $match: { 'messages._id': { $in: ids }, ...of } },
      { $project: { _id: 0, app: 1, room: 1, roomKey: 1, messages: wanted } },
    ],
    [{ $match: { _id: { $in: ids }, ...of } }],
    session,
  )
  return joined(buckets.flatMap(messagesOf), apart)
}

/** A stretch of the seqs of a room. */
export interface Stretch {
  after: number
  upTo: number
}

/** The flushed messages of a stretch of a room, in the order of seq; without `limit` all. */
export async function findBySeq(
  db: Db,
  roomKey: string,
  { after, upTo }: Stretch,
  { limit, latestFirst = false, session }: { limit?: number; latestFirst?: boolean; session?: ClientSession } = {},
): Promise<MessageDoc[]> {
  if (upTo <= after) return []
  const direction = latestFirst ? -1 : 1
  // The first may have only one of the places.
  const enough = limit === undefined ? [] : [{ $limit: Math.ceil(limit / perBucket) + 1 }]
  const { buckets, apart } = await readBoth(
    db,
    [{ $match: inStretch(roomKey, { after, upTo }) }, { $sort: { _id: direction } }, ...enough],
    [
      { $match: { roomKey, seq: { $gt: after, $lte: upTo } } },
      { $sort: { seq: direction } },
      ...(limit === undefined ? [] : [{ $limit: limit }]),
    ],
    session,
  )
  const inBuckets = buckets.flatMap(messagesOf).filter(({ seq }) => seq > after && seq <= upTo)
  const found = joined(inBuckets, apart).toSorted((a, b) => direction * (a.seq - b.seq))
  return limit === undefined ? found : found.slice(0, limit)
}

/** The buckets that have places of a stretch. */
export function inStretch(roomKey: string, { after, upTo }: Stretch): Filter<MessageBucketDoc> {
  return { _id: { $gte: bucketKey(roomKey, after + 1), $lte: bucketKey(roomKey, Math.max(upTo, after + 1)) } }
}

/** Counts the messages in the buckets of a stretch of a room; with a sender, theirs. */
export async function countInBuckets(
  db: Db,
  roomKey: string,
  { after, upTo }: Stretch,
  { sender, except = [] }: { sender?: string; except?: readonly number[] },
  session?: ClientSession,
): Promise<number> {
  if (upTo <= after) return 0
  const isCounted = [
    { $gt: ['$$this._id', null] },
    { $gt: ['$$this.seq', after] },
    { $lte: ['$$this.seq', upTo] },
    ...(sender === undefined ? [] : [{ $eq: ['$$this.sender', { $literal: sender }] }]),
    ...(except.length === 0 ? [] : [{ $not: [{ $in: ['$$this.seq', except] }] }]),
  ]
  const counted = { $size: { $filter: { input: '$messages', cond: { $and: isCounted } } } }
  const [sum] = await db.messageBuckets
    .aggregate<{ count: number }>(
      [{ $match: inStretch(roomKey, { after, upTo }) }, { $group: { _id: null, count: { $sum: counted } } }],
      { ...(session && { session }) },
    )
    .toArray()
  return sum?.count ?? 0
}
