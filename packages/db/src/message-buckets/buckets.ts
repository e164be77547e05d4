import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { runWrites } from '../transactions/run-writes.ts'
import { isDuplicateKey } from '../transactions/transaction.ts'
import type { BucketedMessage, MessageBucketDoc } from './documents.ts'

export const messageBucketIndexes: IndexDescription[] = [
  { key: { 'messages._id': 1 } },
  { key: { roomKey: 1, firstMS: 1, number: 1 } },
  { key: { roomKey: 1, lastMS: 1, number: 1 } },
]

/** The seqs of a bucket: a flush rewrites it, and a page reads two. */
export const perBucket = 32
/** A larger message has a document of its own, so a bucket stays below 64 KiB. */
const mostBytes = 1_024

/** The ID of the bucket that has the place of a seq. */
export function bucketKey(roomKey: string, seq: number): string {
  return key(roomKey, String(bucketNumber(seq)).padStart(10, '0'))
}

function bucketNumber(seq: number): number {
  return Math.floor((seq - 1) / perBucket)
}

/** Whether a new message goes to a bucket: it is small, and no index of `messages` needs it. */
export function isForBucket(message: MessageDoc): boolean {
  const { content = '', mentions = [], attachments, expiresAtMS, streaming, threadOf } = message
  if (attachments || expiresAtMS !== undefined || streaming || threadOf !== undefined) return false
  const bytes = mentions.reduce((sum, user) => sum + Buffer.byteLength(user), Buffer.byteLength(content))
  return bytes <= mostBytes
}

/** Puts new messages into their buckets, durably. One that was there before, or has moved since, stays as it is. */
export async function putIntoBuckets(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  if (messages.length === 0) return
  const statements = inBuckets(messages).map(putStatement)
  const write = () => runWrites(db, 'update', db.messageBuckets.collectionName, statements, 'durable')
  try {
    await write()
  } catch (error) {
    // Another process made the bucket at the same moment.
    if (!isDuplicateKey(error)) throw error
    await write()
  }
}

/** The same inside a transaction. */
export async function putIntoBucketsInTransaction(
  db: Db,
  messages: readonly MessageDoc[],
  session: ClientSession,
): Promise<void> {
  for (const { q, u } of inBuckets(messages).map(putStatement))
    await db.messageBuckets.updateOne(q, u, { upsert: true, session })
}

/** Messages of one bucket, for its document. */
interface ToPut extends Pick<MessageBucketDoc, '_id' | 'app' | 'room' | 'roomKey' | 'number'> {
  messages: BucketedMessage[]
}

function inBuckets(messages: readonly MessageDoc[]): ToPut[] {
  const byBucket = Map.groupBy(messages, ({ roomKey, seq }) => bucketKey(roomKey, seq))
  return [...byBucket].map(([_id, own]) => {
    const { app = '', room = '', roomKey = '', seq = 0 } = own[0] ?? {}
    return { _id, app, room, roomKey, number: bucketNumber(seq), messages: own.map(toBucketed) }
  })
}

/** Puts messages into those places that are free. */
function putStatement({ _id, messages, app, room, roomKey, number }: ToPut) {
  const times = messages.map(({ createdAtMS }) => createdAtMS)
  const there = { $ifNull: ['$messages', []] }
  const isMissing = { $not: [{ $in: ['$$this.seq', { $ifNull: ['$messages.seq', []] }] }] }
  const missing = { $filter: { input: { $literal: messages }, cond: isMissing } }
  const of = { app: { $literal: app }, room: { $literal: room }, roomKey: { $literal: roomKey } }
  const ends = { firstMS: { $min: ['$firstMS', ...times] }, lastMS: { $max: ['$lastMS', ...times] } }
  const changed = { ...of, number, ...ends, messages: { $concatArrays: [there, missing] } }
  return { q: { _id }, u: [{ $set: changed }], upsert: true as const }
}

function toBucketed(message: MessageDoc): BucketedMessage {
  const { app: _app, room: _room, roomKey: _roomKey, updatedAtMS: _updatedAtMS, ...rest } = message
  return rest
}

/** The messages of a bucket, as they would be in `messages`. */
export function messagesOf(bucket: Pick<MessageBucketDoc, 'app' | 'room' | 'roomKey' | 'messages'>): MessageDoc[] {
  const { app, room, roomKey } = bucket
  return bucket.messages.flatMap((entry) =>
    entry._id === undefined ? [] : [{ app, room, roomKey, updatedAtMS: entry.createdAtMS, ...entry }],
  )
}

/**
 * Takes a message out of its bucket, inside a transaction that then inserts it into `messages`.
 * @returns false when it is in none
 */
export async function takeFromBucket(
  db: Db,
  { _id, roomKey, seq }: Pick<MessageDoc, '_id' | 'roomKey' | 'seq'>,
  session: ClientSession,
): Promise<boolean> {
  const place = { _id: bucketKey(roomKey, seq), 'messages._id': _id }
  const { matchedCount } = await db.messageBuckets.updateOne(place, { $set: { 'messages.$': { seq } } }, { session })
  return matchedCount > 0
}

/** Moves the messages of a stretch of a room from its buckets to `messages`, inside a transaction that changes them. */
export async function moveFromBuckets(
  db: Db,
  roomKey: string,
  { afterSeq, upToSeq }: { afterSeq: number; upToSeq: number },
  session: ClientSession,
): Promise<void> {
  const isIn = { $and: [{ $gt: ['$$this.seq', afterSeq] }, { $lte: ['$$this.seq', upToSeq] }] }
  const vacated = { $cond: [isIn, { seq: '$$this.seq' }, '$$this'] }
  const buckets = { _id: { $gte: bucketKey(roomKey, afterSeq + 1), $lte: bucketKey(roomKey, upToSeq) } }
  const found = await db.messageBuckets.find(buckets, { session }).toArray()
  const moved = found.flatMap(messagesOf).filter(({ seq }) => seq > afterSeq && seq <= upToSeq)
  if (moved.length === 0) return
  const vacate = { $set: { messages: { $map: { input: '$messages', in: vacated } } } }
  await db.messageBuckets.updateMany(buckets, [vacate], { session })
  await db.messages.insertMany(moved, { session })
}
