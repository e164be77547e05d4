import { inParts } from '@parley/async/in-parts'
import type { Document, Filter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, ofRoom } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { bucketKey, bucketNumber, byID, bySenders, idKeysOf, messagesOf, perBucket } from './buckets.ts'
import type { MessageBucketDoc } from './documents.ts'

/**
 * Runs one pipeline on buckets, by an index if `hint` names one, then another on `messages`. Messages only move from
 * buckets to `messages`, so none is missed; if one is found in both, the document in `messages` is current. One round
 * trip, but two inside a transaction, where MongoDB does not support $unionWith.
 */
export async function readBoth(
  db: Db,
  inBuckets: readonly Document[],
  apart: readonly Document[],
  { session, hint }: { session?: Session | undefined; hint?: Document } = {},
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
  const existing = new Set(idsOf(apart))
  return [...inBuckets.filter(({ _id }) => !existing.has(_id)), ...apart]
}

/** MongoDB compares a message with each of the IDs in turn, so a query for all of many would take quadratic time. */
const idsPerQuery = 500

/** The flushed messages with these IDs, unordered; optionally only those of an app, room or thread. */
export async function findMessages(
  db: Db,
  ids: readonly string[],
  { session, ...of }: Partial<Pick<MessageDoc, 'app' | 'room' | 'roomKey'>> & { session?: Session | undefined } = {},
): Promise<MessageDoc[]> {
  if (ids.length === 0) return []
  const inBuckets = { idKeys: { $in: idKeysOf(ids) }, ...of, ...(of.roomKey !== undefined && ofRoom(of.roomKey)) }
  const apart = { _id: { $in: [...ids] }, ...of }
  if (session?.inTransaction()) {
    const known = new Set(ids)
    const buckets = await db.messageBuckets.find(inBuckets, { session, hint: byID.key }).toArray()
    const found = buckets.flatMap(messagesOf).filter(({ _id }) => known.has(_id))
    return joined(found, await db.messages.find(apart, { session }).toArray())
  }
  if (ids.length > idsPerQuery) {
    const found: MessageDoc[] = []
    for (const some of inParts([...new Set(ids)], idsPerQuery)) {
      found.push(...(await findMessages(db, some, { ...of, session })))
    }
    return found
  }
  const wanted = { $filter: { input: '$messages', cond: { $in: ['$$this._id', { $literal: ids }] } } }
  const shown = { _id: 0, app: 1, room: 1, roomKey: 1, messages: wanted }
  const found = await readBoth(db, [{ $match: inBuckets }, { $project: shown }], [{ $match: apart }], {
    session,
    hint: byID.key,
  })
  return joined(found.buckets.flatMap(messagesOf), found.apart)
}

export interface SeqRange {
  after: number
  upTo: number
}

export function joinRanges(ranges: readonly SeqRange[]): SeqRange[] {
  const all: SeqRange[] = []
  for (const { after, upTo } of ranges.toSorted((a, b) => a.after - b.after)) {
    const last = all.at(-1)
    if (last && after <= last.upTo) last.upTo = Math.max(last.upTo, upTo)
    else all.push({ after, upTo })
  }
  return all
}

/** The flushed messages of a range of a room, ordered by seq. Returns all without `limit`. */
export async function findBySeq(
  db: Db,
  roomKey: string,
  { after, upTo }: SeqRange,
  { limit, latestFirst = false, session }: { limit?: number; latestFirst?: boolean; session?: Session } = {},
): Promise<MessageDoc[]> {
  if (upTo <= after) return []
  const direction = latestFirst ? -1 : 1
  // One more, since the first bucket may overlap the range by one seq only.
  const enough = limit === undefined ? [] : [{ $limit: Math.ceil(limit / perBucket) + 1 }]
  const { buckets, apart } = await readBoth(
    db,
    [{ $match: bucketsIn(roomKey, { after, upTo }) }, { $sort: { _id: direction } }, ...enough],
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

export function bucketsIn(roomKey: string, { after, upTo }: SeqRange): Filter<MessageBucketDoc> {
  return { _id: { $gte: bucketKey(roomKey, after + 1), $lte: bucketKey(roomKey, Math.max(upTo, after + 1)) } }
}

export async function countInBuckets(
  db: Db,
  roomKey: string,
  { after, upTo }: SeqRange,
  { sender, except = [] }: { sender?: string; except?: readonly number[] },
  session?: Session,
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
  const inRange = bucketsIn(roomKey, { after, upTo })
  const match = sender === undefined ? inRange : { ...inRange, roomKey, senders: sender, number }
  const [sum] = await db.messageBuckets
    .aggregate<{ count: number }>([{ $match: match }, { $group: { _id: null, count: { $sum: counted } } }], {
      ...(session && { session }),
      ...(sender !== undefined && { hint: bySenders.key }),
    })
    .toArray()
  return sum?.count ?? 0
}
