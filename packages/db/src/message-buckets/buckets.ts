import { setTimeout as pause } from 'node:timers/promises'
import type { ClientSession, Document, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { idNumber } from '../messages/id-number.ts'
import { runWrites } from '../transactions/run-writes.ts'
import { isConflict, isDuplicateKey } from '../transactions/transaction.ts'
import type { BucketedMessage, MessageBucketDoc } from './documents.ts'

export const bySenders = { key: { roomKey: 1, senders: 1, number: 1 } } as const satisfies IndexDescription

export const messageBucketIndexes: IndexDescription[] = [
  { key: { idNumbers: 1 } },
  { key: { roomKey: 1, firstMS: 1, number: 1 } },
  { key: { roomKey: 1, lastMS: 1, number: 1 } },
  bySenders,
]

/** The seqs of a bucket: a flush rewrites it, and a page reads two. */
export const perBucket = 32
/** A larger message has a document of its own, so a bucket stays below 64 KiB. */
const mostBytes = 1_024

const numberDigits = 10

/** The ID of the bucket that has the place of a seq. */
export function bucketKey(roomKey: string, seq: number): string {
  return key(roomKey, String(bucketNumber(seq)).padStart(numberDigits, '0'))
}

/** An expression for the same, of a key of a room and a seq that are expressions. */
export function bucketKeyOf(roomKey: string, seq: string): Document {
  const number = { $floor: { $divide: [{ $subtract: [seq, 1] }, perBucket] } }
  const digits = { $substrBytes: [{ $toString: { $toLong: { $add: [10 ** numberDigits, number] } } }, 1, numberDigits] }
  return { $concat: [roomKey, { $literal: key('', '') }, digits] }
}

export function bucketNumber(seq: number): number {
  return Math.floor((seq - 1) / perBucket)
}

/** Whether a new message goes to a bucket: it is small, its ID is Parley's, and no index of `messages` needs it. */
export function isForBucket(message: MessageDoc): boolean {
  if (idNumber(message._id) === undefined) return false
  const { content = '', mentions = [], attachments, expiresAtMS, streaming, threadOf } = message
  if (attachments || expiresAtMS !== undefined || streaming || threadOf !== undefined) return false
  const bytes = mentions.reduce((sum, user) => sum + Buffer.byteLength(user), Buffer.byteLength(content))
  return bytes <= mostBytes
}

/** A transaction needs less; a process that was killed in one delays flushes of the bucket for no longer. */
const holdMS = 1_000
const againAfterMS = 20
/** Flushes that wait for longer fail, and run again later. */
const giveUpAfterMS = 5_000

/** A transaction held the bucket for too long. */
class BucketHeld extends Error {
  override name = 'BucketHeld'
}

/** Puts new messages into their buckets, durably. One that was there before, or has moved since, stays as it is. */
export async function putIntoBuckets(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  const deadlineMS = performance.now() + giveUpAfterMS
  for (let left = inBuckets(messages); left.length > 0; ) {
    const changed = await upsert(db, left.map(putUnlessHeld))
    if (changed === left.length) return
    // The others have all their messages, or are held.
    left = await withoutPlaces(db, left)
    if (left.length === 0) return
    if (performance.now() > deadlineMS) throw new BucketHeld(`buckets were held for ${giveUpAfterMS} ms`)
    await pause(againAfterMS)
  }
}

async function upsert(db: Db, statements: readonly Document[]): Promise<number> {
  const write = () => runWrites(db, 'update', db.messageBuckets.collectionName, statements, 'durable')
  try {
    return (await write()).changed
  } catch (error) {
    // Another process made the bucket at the same moment.
    if (!isDuplicateKey(error)) throw error
    return (await write()).changed
  }
}

/** Those of the buckets that lack places. */
async function withoutPlaces(db: Db, all: readonly ToPut[]): Promise<ToPut[]> {
  const ids = { $in: all.map(({ _id }) => _id) }
  const found = await db.messageBuckets.find({ _id: ids }, { projection: { 'messages.seq': 1 } }).toArray()
  const places = new Map(found.map(({ _id, messages }) => [_id, new Set(messages.map(({ seq }) => seq))]))
  return all.filter(({ _id, messages }) => !messages.every(({ seq }) => places.get(_id)?.has(seq)))
}

/** The same inside a transaction. */
export async function putIntoBucketsInTransaction(
  db: Db,
  messages: readonly MessageDoc[],
  session: ClientSession,
): Promise<void> {
  const all = inBuckets(messages)
  const put = async () => {
    for (const { q, u } of all.map(putStatement)) await db.messageBuckets.updateOne(q, u, { upsert: true, session })
  }
  await holdAfterConflict(
    db,
    all.map(({ _id }) => _id),
    put,
    session,
  )
}

/**
 * A flush rewrites its buckets, so it may conflict with a transaction again and again. Once it has, the transaction holds
 * the buckets before its next run: flushes wait for it.
 */
async function holdAfterConflict<T>(
  db: Db,
  ids: readonly string[],
  write: () => Promise<T>,
  session: ClientSession,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isConflict(error) || isDuplicateKey(error)) db.beforeNextRun.set(session, () => hold(db, ids))
    throw error
  }
}

/** Leaves a bucket that another transaction holds as it is, so that two never end each other. */
async function hold(db: Db, ids: readonly string[]): Promise<void> {
  const held = { $mergeObjects: ['$$ROOT', { heldUntil: { $add: ['$$NOW', holdMS] } }] }
  const u = [{ $replaceWith: { $cond: [isHeld, '$$ROOT', held] } }]
  await runWrites(
    db,
    'update',
    db.messageBuckets.collectionName,
    [{ q: { _id: { $in: ids } }, u, multi: true }],
    'soon',
  )
}

const isHeld = { $gt: ['$heldUntil', '$$NOW'] }

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

/** Puts messages into those places that are free; ends a hold. */
function putStatement({ _id, ...put }: ToPut) {
  return { q: { _id }, u: [{ $set: withPut(put) }, { $unset: 'heldUntil' }], upsert: true as const }
}

/** The same, unless a transaction holds the bucket. */
function putUnlessHeld({ _id, ...put }: ToPut) {
  const changed = { $mergeObjects: ['$$ROOT', withPut(put)] }
  return { q: { _id }, u: [{ $replaceWith: { $cond: [isHeld, '$$ROOT', changed] } }], upsert: true as const }
}

function withPut({ messages, app, room, roomKey, number }: Omit<ToPut, '_id'>) {
  const times = messages.map(({ createdAtMS }) => createdAtMS)
  const there = { $ifNull: ['$messages', []] }
  const isMissing = { $not: [{ $in: ['$$this.seq', { $ifNull: ['$messages.seq', []] }] }] }
  const missing = { $filter: { input: { $literal: messages }, cond: isMissing } }
  const of = { app: { $literal: app }, room: { $literal: room }, roomKey: { $literal: roomKey } }
  const ends = { firstMS: { $min: ['$firstMS', ...times] }, lastMS: { $max: ['$lastMS', ...times] } }
  const senders = [...new Set(messages.map(({ sender }) => sender))].toSorted()
  const idNumbers = messages.flatMap(({ _id }) => idNumber(_id) ?? [])
  return {
    ...of,
    number,
    ...ends,
    senders: { $setUnion: [{ $ifNull: ['$senders', []] }, { $literal: senders }] },
    idNumbers: { $setUnion: [{ $ifNull: ['$idNumbers', []] }, idNumbers] },
    messages: { $concatArrays: [there, missing] },
  }
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
  const bucket = bucketKey(roomKey, seq)
  const place = { _id: bucket, 'messages._id': _id }
  const vacate = { $set: { 'messages.$': { seq } }, $unset: { heldUntil: 1 } } as const
  const take = () => db.messageBuckets.updateOne(place, vacate, { session })
  return (await holdAfterConflict(db, [bucket], take, session)).matchedCount > 0
}

/** Deletes the places of a room up to a seq, which were all taken, inside a transaction: whole buckets where it can. */
export async function removeFromBuckets(
  db: Db,
  roomKey: string,
  upToSeq: number,
  session: ClientSession,
): Promise<void> {
  const last = bucketKey(roomKey, upToSeq)
  const isLastWhole = upToSeq % perBucket === 0
  const whole = { $gte: bucketKey(roomKey, 1), ...(isLastWhole ? { $lte: last } : { $lt: last }) }
  await db.messageBuckets.deleteMany({ _id: whole }, { session })
  if (isLastWhole) return
  const vacated = { $cond: [{ $lte: ['$$this.seq', upToSeq] }, { seq: '$$this.seq' }, '$$this'] }
  const vacate = [{ $set: { messages: { $map: { input: '$messages', in: vacated } } } }, { $unset: 'heldUntil' }]
  await holdAfterConflict(db, [last], () => db.messageBuckets.updateOne({ _id: last }, vacate, { session }), session)
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
  const vacate = [{ $set: { messages: { $map: { input: '$messages', in: vacated } } } }, { $unset: 'heldUntil' }]
  const ids = found.map(({ _id }) => _id)
  await holdAfterConflict(db, ids, () => db.messageBuckets.updateMany(buckets, vacate, { session }), session)
  await db.messages.insertMany(moved, { session })
}
