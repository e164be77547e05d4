import type { ClientSession, Document, Filter } from 'mongodb'
import type { Db } from '../db.ts'
import { ofRoom } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { bucketKey, bucketNumber, byID, bySenders, idKeysOf, messagesOf, perBucket } from './buckets.ts'
import type { MessageBucketDoc } from './documents.ts'

/**
 * Queries find messages both in buckets and in `messages`. Read buckets first: messages only move from buckets to
 * `messages`, so none is missed. If a message is found in both, the document in `messages` is current.
 */

/**
 * Runs one pipeline on buckets, by an index if `hint` names one, and another on `messages`. One round trip, but two inside a transaction, where MongoDB
 * does not support $unionWith.
 * @returns the projected buckets, and the documents of `messages`
 */
export async function readBoth(
  db: Db,
  inBuckets: readonly Document[],
  apart: readonly Document[],
  { session, hint }: { session?: ClientSession | undefined; hint?: Document } = {},
): Promise<{ buckets: MessageBucketDoc[]; apart: MessageDoc[] }> {
  if (session?.inTransaction()) {
    const buckets = await db.messageBuckets
      .aggregate<MessageBucketDoc>([...inBuckets], { session, ...(hint && { hint }) })
      .toArray()
    return { buckets, apart: await db.messages.aggregate<MessageDoc>([...apart], { session }).toArray() }
  }
  const union = { $unionWith: { coll: db.messages.collectionName, pipeline: [...apart] } }
  const found = await db.messageBuckets
    .aggregate<MessageBucketDoc | (MessageDoc & { messages?: never })>([...inBuckets, union], {
      ...(session && { session }),
      ...(hint && { hint }),
    })
    .toArray()
  const buckets: MessageBucketDoc[] = []
  const messages: MessageDoc[] = []
  for (const one of found) {
    if (one.messages === undefined) messages.push(one)
    else buckets.push(one)
  }
  return { buckets, apart: messages }
}

/** Merges messages of buckets with documents of `messages`, which take precedence. */
export function joined(inBuckets: readonly MessageDoc[], apart: readonly MessageDoc[]): MessageDoc[] {
  const there = new Set(apart.map(({ _id }) => _id))
  return [...inBuckets.filter(({ _id }) => !there.has(_id)), ...apart]
}

/** The flushed messages with these IDs, unordered. */
export async function findByIDs(
  db: Db,
  ids: readonly string[],
  of: Partial<Pick<MessageDoc, 'app' | 'room' | 'roomKey'>> = {},
  session?: ClientSession,
): Promise<MessageDoc[]> {
  if (ids.length === 0) return []
  if (session?.inTransaction()) return findByIDsInTransaction(db, ids, of, session)
  const wanted = { $filter: { input: '$messages', cond: { $in: ['$$this._id', { $literal: ids }] } } }
  const { buckets, apart } = await readBoth(
    db,
    [
      { $match: { idKeys: { $in: idKeysOf(ids) }, ...bucketsOf(of) } },
      { $project: { _id: 0, app: 1, room: 1, roomKey: 1, messages: wanted } },
    ],
    [{ $match: { _id: { $in: ids }, ...of } }],
    { session, hint: byID.key },
  )
  return joined(buckets.flatMap(messagesOf), apart)
}

async function findByIDsInTransaction(
  db: Db,
  ids: readonly string[],
  of: Partial<Pick<MessageDoc, 'app' | 'room' | 'roomKey'>>,
  session: ClientSession,
): Promise<MessageDoc[]> {
  const known = new Set(ids)
  const buckets = await db.messageBuckets
    .find({ idKeys: { $in: idKeysOf(ids) }, ...bucketsOf(of) }, { session, hint: byID.key })
    .toArray()
  const apart = await db.messages.find({ _id: { $in: [...ids] }, ...of }, { session }).toArray()
  return joined(
    buckets.flatMap(messagesOf).filter(({ _id }) => known.has(_id)),
    apart,
  )
}

function bucketsOf(of: Partial<Pick<MessageDoc, 'app' | 'room' | 'roomKey'>>): Filter<MessageBucketDoc> {
  return { ...of, ...(of.roomKey !== undefined && ofRoom(of.roomKey)) }
}

/** A range of a room's seqs. */
export interface Stretch {
  after: number
  upTo: number
}

/** The flushed messages of a range of a room, ordered by seq. Returns all without `limit`. */
export async function findBySeq(
  db: Db,
  roomKey: string,
  { after, upTo }: Stretch,
  { limit, latestFirst = false, session }: { limit?: number; latestFirst?: boolean; session?: ClientSession } = {},
): Promise<MessageDoc[]> {
  if (upTo <= after) return []
  const direction = latestFirst ? -1 : 1
  // One more, since the first bucket may overlap the range by one seq only.
  const enough = limit === undefined ? [] : [{ $limit: Math.ceil(limit / perBucket) + 1 }]
  const { buckets, apart } = await readBoth(
    db,
    [{ $match: inStretch(roomKey, { after, upTo }) }, { $sort: { _id: direction } }, ...enough],
    [
      { $match: { roomKey, seq: { $gt: after, $lte: upTo } } },
      { $sort: { seq: direction } },
      ...(limit === undefined ? [] : [{ $limit: limit }]),
    ],
    { session },
  )
  const inBuckets = buckets.flatMap(messagesOf).filter(({ seq }) => seq > after && seq <= upTo)
  const found = joined(inBuckets, apart).toSorted((a, b) => direction * (a.seq - b.seq))
  return limit === undefined ? found : found.slice(0, limit)
}

/** The buckets that overlap a range. */
export function inStretch(roomKey: string, { after, upTo }: Stretch): Filter<MessageBucketDoc> {
  return { _id: { $gte: bucketKey(roomKey, after + 1), $lte: bucketKey(roomKey, Math.max(upTo, after + 1)) } }
}

/** Counts the bucketed messages in a range of a room, optionally of one sender. */
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
  const number = { $gte: bucketNumber(after + 1), $lte: bucketNumber(upTo) }
  const stretch = inStretch(roomKey, { after, upTo })
  const match = sender === undefined ? stretch : { ...stretch, roomKey, senders: sender, number }
  const [sum] = await db.messageBuckets
    .aggregate<{ count: number }>([{ $match: match }, { $group: { _id: null, count: { $sum: counted } } }], {
      ...(session && { session }),
      ...(sender !== undefined && { hint: bySenders.key }),
    })
    .toArray()
  return sum?.count ?? 0
}
