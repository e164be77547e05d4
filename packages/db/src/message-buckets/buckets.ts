import { setTimeout as pause } from 'node:timers/promises'
import type { Document, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { hex, positionInID, roomHash, timeOfID } from '../messages/message-id.ts'
import { minuteOf } from '../minutes.ts'
import { isServerError } from '../server-errors.ts'
import { runWrites } from '../transactions/run-writes.ts'
import type { BucketedMessage, MessageBucketDoc } from './documents.ts'

export const bySenders = { key: { roomKey: 1, senders: 1, number: 1 } } as const satisfies IndexDescription

/** Finds the buckets of messages by ID. */
export const byID = { key: { idKeys: 1 } } as const satisfies IndexDescription
export const byMinute = { key: { minutes: 1 } } as const satisfies IndexDescription

export const messageBucketIndexes: IndexDescription[] = [
  byID,
  byMinute,
  { key: { roomKey: 1, firstMS: 1, number: 1 } },
  { key: { roomKey: 1, lastMS: 1, number: 1 } },
  bySenders,
]

/** Seqs per bucket. A flush rewrites the whole bucket; a page of history reads at least two. */
export const perBucket = 32
/** Larger messages get their own document, so that a bucket stays below 64 KiB. */
const maxBytes = 1_024

const numberDigits = 10

/** The ID of the bucket of a seq. */
export function bucketKey(roomKey: string, seq: number): string {
  return key(roomKey, String(bucketNumber(seq)).padStart(numberDigits, '0'))
}

/** `bucketKey` as an aggregation expression. `roomKey` and `seq` are expressions. */
export function bucketKeyOf(roomKey: string, seq: string): Document {
  const number = { $floor: { $divide: [{ $subtract: [seq, 1] }, perBucket] } }
  const digits = { $substrBytes: [{ $toString: { $toLong: { $add: [10 ** numberDigits, number] } } }, 1, numberDigits] }
  return { $concat: [roomKey, { $literal: key('', '') }, digits] }
}

/** The `idKeys` of the buckets that can have messages with these IDs. */
export function idKeysOf(ids: readonly string[]): string[] {
  return [...new Set([...ids.flatMap((id) => idKeyIn(id) ?? []), ...ids])]
}

/** The `idKey` of the bucket that an ID leads to. */
function idKeyIn(id: string): string | undefined {
  const position = positionInID(id)
  return position && idKey(position.room, bucketNumber(position.seq))
}

function idKey(room: string, number: number): string {
  return room + hex(number)
}

/** The minutes in which IDs were made. Excludes IDs of another form. */
function minutesOf(ids: readonly string[]): number[] {
  const times = ids.map(timeOfID).filter((timeMS) => timeMS !== undefined)
  return [...new Set(times.map(minuteOf))]
}

export function bucketNumber(seq: number): number {
  return Math.floor((seq - 1) / perBucket)
}

/** Whether a new message is stored in a bucket: it must be small, and no index of `messages` may need it. */
export function isForBucket(message: MessageDoc): boolean {
  const { content = '', mentions = [], attachments, expiresAtMS, streaming, threadOf } = message
  if (attachments || expiresAtMS !== undefined || streaming || threadOf !== undefined) return false
  const bytes = mentions.reduce((sum, user) => sum + Buffer.byteLength(user), Buffer.byteLength(content))
  return bytes <= maxBytes
}

/** Longer than a transaction takes. If its process is killed, flushes of the bucket wait this long. */
const holdMS = 1_000
const retryAfterMS = 20
/** A flush that waits longer fails, and is retried later. */
const giveUpAfterMS = 5_000

/** A transaction held the bucket for too long. */
class BucketHeld extends Error {
  override name = 'BucketHeld'
}

/** Durably puts new messages into their buckets. Messages that are there, or have moved since, stay unchanged. */
export async function putIntoBuckets(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  const deadlineMS = performance.now() + giveUpAfterMS
  for (let left = inBuckets(messages); left.length > 0; ) {
    const changed = await upsert(db, left.map(putUnlessHeld))
    if (changed === left.length) return
    // Unchanged buckets either already have all their messages, or are held.
    left = await withoutPlaces(db, left)
    if (left.length === 0) return
    if (performance.now() > deadlineMS) throw new BucketHeld(`buckets were held for ${giveUpAfterMS} ms`)
    await pause(retryAfterMS)
  }
}

async function upsert(db: Db, statements: readonly Document[]): Promise<number> {
  const write = () => runWrites(db, 'update', db.messageBuckets.collectionName, statements, 'durable')
  try {
    return (await write()).changed
  } catch (error) {
    // Another process created the bucket at the same time.
    if (!isServerError(error, 'DuplicateKey')) throw error
    return (await write()).changed
  }
}

/** The buckets that lack a place for one of their messages. */
async function withoutPlaces(db: Db, all: readonly ToPut[]): Promise<ToPut[]> {
  const ids = { $in: idsOf(all) }
  const found = await db.messageBuckets.find({ _id: ids }, { projection: { 'messages.seq': 1 } }).toArray()
  const places = new Map(found.map(({ _id, messages }) => [_id, new Set(messages.map(({ seq }) => seq))]))
  return all.filter(({ _id, messages }) => !messages.every(({ seq }) => places.get(_id)?.has(seq)))
}

/** Like putIntoBuckets, in a transaction. */
export async function putIntoBucketsInTransaction(
  db: Db,
  messages: readonly MessageDoc[],
  session: Session,
): Promise<void> {
  const all = inBuckets(messages)
  const put = async () => {
    for (const { q, u } of all.map(putStatement)) await db.messageBuckets.updateOne(q, u, { upsert: true, session })
  }
  await holdAfterConflict(db, idsOf(all), put, session)
}

/**
 * Flushes rewrite buckets, so a transaction could conflict with them repeatedly. After a conflict, the transaction
 * holds its buckets before its next attempt, and flushes wait.
 */
async function holdAfterConflict<T>(
  db: Db,
  ids: readonly string[],
  write: () => Promise<T>,
  session: Session,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isServerError(error, 'WriteConflict', 'DuplicateKey')) db.beforeNextRun.set(session, () => hold(db, ids))
    throw error
  }
}

/** Skips buckets that another transaction holds, so that two transactions do not take holds from each other. */
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

/** Puts messages into free places, and ends a hold. */
function putStatement({ _id, ...put }: ToPut) {
  return { q: { _id }, u: [{ $set: withPut(put) }, { $unset: 'heldUntil' }], upsert: true as const }
}

/** Puts messages into free places, unless a transaction holds the bucket. */
function putUnlessHeld({ _id, ...put }: ToPut) {
  const changed = { $mergeObjects: ['$$ROOT', withPut(put)] }
  return { q: { _id }, u: [{ $replaceWith: { $cond: [isHeld, '$$ROOT', changed] } }], upsert: true as const }
}

function withPut({ messages, app, room, roomKey, number }: Omit<ToPut, '_id'>) {
  const times = messages.map(({ createdAtMS }) => createdAtMS)
  const existing = { $ifNull: ['$messages', []] }
  const isMissing = { $not: [{ $in: ['$$this.seq', { $ifNull: ['$messages.seq', []] }] }] }
  const missing = { $filter: { input: { $literal: messages }, cond: isMissing } }
  const of = { app: { $literal: app }, room: { $literal: room }, roomKey: { $literal: roomKey } }
  const ends = { firstMS: { $min: ['$firstMS', ...times] }, lastMS: { $max: ['$lastMS', ...times] } }
  const senders = [...new Set(messages.map(({ sender }) => sender))].toSorted()
  const ids = idsOf(messages)
  const own = idKey(roomHash(roomKey), number)
  const elsewhere = ids.filter((id) => idKeyIn(id) !== own)
  return {
    ...of,
    number,
    ...ends,
    senders: { $setUnion: [{ $ifNull: ['$senders', []] }, { $literal: senders }] },
    idKeys: { $setUnion: [{ $ifNull: ['$idKeys', []] }, { $literal: [own, ...elsewhere] }] },
    minutes: { $setUnion: [{ $ifNull: ['$minutes', []] }, minutesOf(ids)] },
    messages: { $concatArrays: [existing, missing] },
  }
}

function toBucketed(message: MessageDoc): BucketedMessage {
  const { app: _app, room: _room, roomKey: _roomKey, updatedAtMS: _updatedAtMS, ...rest } = message
  return rest
}

export function messagesOf(bucket: Pick<MessageBucketDoc, 'app' | 'room' | 'roomKey' | 'messages'>): MessageDoc[] {
  const { app, room, roomKey } = bucket
  return bucket.messages.flatMap((entry) =>
    entry._id === undefined ? [] : [{ app, room, roomKey, updatedAtMS: entry.createdAtMS, ...entry }],
  )
}

/** Removes messages from their buckets; the same transaction must insert them. @returns whether any was in one */
export async function takeFromBuckets(
  db: Db,
  messages: readonly Pick<MessageDoc, '_id' | 'roomKey' | 'seq'>[],
  session: Session,
): Promise<boolean> {
  const taken = idsOf(messages)
  const buckets = [...new Set(messages.map(({ roomKey, seq }) => bucketKey(roomKey, seq)))]
  const places = { _id: { $in: buckets }, 'messages._id': { $in: taken } }
  const vacate = vacateWhere({ $in: ['$$this._id', taken] })
  const take = () => db.messageBuckets.updateMany(places, vacate, { session })
  return (await holdAfterConflict(db, buckets, take, session)).matchedCount > 0
}

/** Removes a room's messages up to a seq from their buckets, in a transaction. Deletes whole buckets where possible. */
export async function removeFromBuckets(db: Db, roomKey: string, upToSeq: number, session: Session): Promise<void> {
  const last = bucketKey(roomKey, upToSeq)
  const isLastWhole = upToSeq % perBucket === 0
  const whole = { $gte: bucketKey(roomKey, 1), ...(isLastWhole ? { $lte: last } : { $lt: last }) }
  await db.messageBuckets.deleteMany({ _id: whole }, { session })
  if (isLastWhole) return
  const vacate = vacateWhere({ $lte: ['$$this.seq', upToSeq] })
  await holdAfterConflict(db, [last], () => db.messageBuckets.updateOne({ _id: last }, vacate, { session }), session)
}

/** An update that vacates the places of a bucket's messages that match. Ends a hold. */
function vacateWhere(isGone: Document): Document[] {
  const vacated = { $cond: [isGone, { seq: '$$this.seq' }, '$$this'] }
  return [{ $set: { messages: { $map: { input: '$messages', in: vacated } } } }, { $unset: 'heldUntil' }]
}

/** Moves a range of a room's messages from buckets to `messages`, in the transaction that changes them. */
export async function moveFromBuckets(
  db: Db,
  roomKey: string,
  { after, upTo }: { after: number; upTo: number },
  session: Session,
): Promise<void> {
  const buckets = { _id: { $gte: bucketKey(roomKey, after + 1), $lte: bucketKey(roomKey, upTo) } }
  const found = await db.messageBuckets.find(buckets, { session }).toArray()
  const moved = found.flatMap(messagesOf).filter(({ seq }) => seq > after && seq <= upTo)
  if (moved.length === 0) return
  const vacate = vacateWhere({ $and: [{ $gt: ['$$this.seq', after] }, { $lte: ['$$this.seq', upTo] }] })
  const ids = idsOf(found)
  await holdAfterConflict(db, ids, () => db.messageBuckets.updateMany(buckets, vacate, { session }), session)
  await db.messages.insertMany(moved, { session })
}
