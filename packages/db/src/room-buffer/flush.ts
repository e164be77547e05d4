import { inParts } from '@parley/async/in-parts'
import type { Document } from 'mongodb'
import { isDatabaseAway } from '../connect.ts'
import type { Db, Session } from '../db.ts'
import { insertUnordered } from '../events/outbox-store.ts'
import { idsOf, key } from '../keys.ts'
import { isForBucket, putIntoBuckets, putIntoBucketsInTransaction } from '../message-buckets/buckets.ts'
import type { SeqRange } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { timeOfID } from '../messages/message-id.ts'
import { newId } from '../messages/messages.ts'
import { sendKeyOf } from '../messages/send-keys.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { currentMarkerIn } from '../rooms/memberships.ts'
import { insertMissing, runWrites } from '../transactions/run-writes.ts'
import { storedLock } from './append.ts'
import { findBuffers, findUnflushedRooms, fromBuffer, unflushedOf } from './buffer.ts'
import type { BufferedMessage } from './documents.ts'

/**
 * A flush moves messages from the room buffers to buckets and `messages`, in four steps. Every step is idempotent, in
 * any process. Only the pull depends on the others, so those are durable when they return: the server can crash between
 * steps.
 */

/** Step 1: puts messages into buckets or `messages`. Messages that already exist stay unchanged. */
export async function insertFlushed(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  const [forBuckets, apart] = partition(messages)
  await Promise.all([
    putIntoBuckets(db, forBuckets),
    apart.length > 0 && insertMissing(db, db.messages.collectionName, apart),
  ])
}

function partition(messages: readonly MessageDoc[]): [forBuckets: MessageDoc[], apart: MessageDoc[]] {
  const { forBuckets = [], apart = [] } = Object.groupBy(messages, (one) => (isForBucket(one) ? 'forBuckets' : 'apart'))
  return [forBuckets, apart]
}

/** Step 3, after step 1: records the idempotency keys. */
export async function recordSendKeys(db: Db, sent: readonly { message: MessageDoc; sendKey: string }[]): Promise<void> {
  if (sent.length === 0) return
  const keys = sent.map(({ message, sendKey }) => ({
    _id: sendKeyOf(message, sendKey),
    message: message._id,
    usedAt: new Date(message.createdAtMS),
  }))
  await insertMissing(db, db.sendKeys.collectionName, keys)
}

export interface Pull {
  roomKey: string
  ranges: readonly SeqRange[]
}

/** Step 4, after all others: removes flushed messages from buffers. The bus or the outbox must have their events. */
export async function pullFlushed(db: Db, pulls: readonly Pull[]): Promise<void> {
  const statements = pulls.map(({ roomKey, ranges }) => {
    const flushed = ranges.map(({ after, upTo }) => ({
      $and: [{ $gt: ['$$this.seq', after] }, { $lte: ['$$this.seq', upTo] }],
    }))
    return {
      q: { _id: roomKey },
      u: [
        { $set: { buffer: { $filter: { input: { $ifNull: ['$buffer', []] }, cond: { $not: [{ $or: flushed }] } } } } },
        {
          $set: {
            bufferSinceMS: { $cond: [{ $eq: ['$buffer', []] }, '$$REMOVE', firstMade] },
            bufferBytes: { $cond: [{ $eq: ['$buffer', []] }, 0, { $bsonSize: { buffer: '$buffer' } }] },
          },
        },
      ],
    }
  })
  if (statements.length > 0) await runWrites(db, 'update', db.rooms.collectionName, statements, 'soon')
}

/** Unix milliseconds of the first ID of the buffer, an expression: an ObjectId begins with its time. */
const firstSecond = { $substrBytes: [{ $min: '$buffer._id' }, 0, 8] }
const firstMade = { $toLong: { $toDate: { $toObjectId: { $concat: [firstSecond, '0'.repeat(16)] } } } }

/** Step 4 for large messages. Shares a lock with appendStored: a pull would conflict with its transaction. */
export async function pullStored(db: Db, pulls: readonly Pull[]): Promise<void> {
  const locks = pulls.map(({ roomKey }) => storedLock(roomKey))
  if (pulls.length > 0) await db.locks.run(locks, () => pullFlushed(db, pulls))
}

/** Runs steps 1 and 2 for rooms: all acknowledged before is then flushed. The appending process does the pull. */
export async function flushRooms(db: Db, keys: readonly string[]): Promise<void> {
  await flushBuffers(db, await findBuffers(db, keys))
}

/** Like flushRooms, for rooms that were read with their buffers. */
async function flushBuffers(db: Db, rooms: readonly RoomDoc[]): Promise<void> {
  await insertFlushed(db, rooms.flatMap(unflushedOf))
  const buffers = rooms.map((room) => ({ room, messages: room.buffer ?? [] }))
  await countFlushed(db, buffers)
}

/** Like flushRooms, for all rooms of an app with buffered messages that were sent before `beforeMS`. */
export async function flushApp(db: Db, app: string, beforeMS?: number): Promise<void> {
  await flushRooms(db, await findUnflushedRooms(db, { app, ...(beforeMS !== undefined && { beforeMS }) }))
}

/** Like flushRooms, for a room with its buffer, in a transaction that has locked the room. */
export async function flushInTransaction(db: Db, room: RoomDoc, session: Session): Promise<void> {
  const { buffer = [] } = room
  if (buffer.length === 0) return
  // Ignore flushedSeq: this transaction has already advanced it.
  const messages = unflushedOf({ ...room, flushedSeq: 0 })
  const [forBuckets, apart] = partition(messages)
  await putIntoBucketsInTransaction(db, forBuckets, session)
  const ids = idsOf(apart)
  const existing =
    ids.length === 0 ? [] : await db.messages.find({ _id: { $in: ids } }, { session, projection: { _id: 1 } }).toArray()
  const known = new Set(idsOf(existing))
  const missing = apart.filter(({ _id }) => !known.has(_id))
  if (missing.length > 0) await db.messages.insertMany(missing, { session })
  for (const { q, u } of countStatements([{ room, messages: buffer }]))
    await db.memberships.updateMany(q, u, { session })
}

/** A room's buffered messages with their senders, from each sender's first message on. */
export interface BufferSenders {
  room: Pick<RoomDoc, 'app' | 'id' | 'deletedUpToSeq'>
  messages: readonly Pick<MessageDoc, 'seq' | 'sender'>[]
}

/**
 * Step 2: updates the senders' `uncounted`. A membership counts only messages after its `flushedSeq`, so `buffers` must
 * have all buffered messages of a sender before the last one given.
 */
export async function countFlushed(db: Db, buffers: readonly BufferSenders[]): Promise<void> {
  const statements = countStatements(buffers)
  if (statements.length > 0) await runWrites(db, 'update', db.memberships.collectionName, statements, 'durable')
}

/** A membership and the seqs of its messages, in order. */
type Sent = [membership: string, seqs: number[]]

interface UpdateStatement {
  q: { _id: { $in: string[] } }
  u: Document[]
  multi: true
}

/**
 * One statement for many memberships costs mongod half of one statement each, but each membership scans the whole list.
 */
const maxCounted = 200

function countStatements(buffers: readonly BufferSenders[]): UpdateStatement[] {
  const byDeletion = Map.groupBy(buffers, ({ room }) => room.deletedUpToSeq ?? 0)
  return [...byDeletion].flatMap(([deletedUpToSeq, own]) =>
    inParts(own.flatMap(sentIn), maxCounted).map((part) => countStatement(deletedUpToSeq, part)),
  )
}

function sentIn({ room, messages }: BufferSenders): Sent[] {
  const bySender = Map.groupBy(messages, ({ sender }) => sender)
  return [...bySender].map(([sender, own]) => [key(room.app, room.id, sender), own.map(({ seq }) => seq)])
}

/** Matches by `_id` only: planning a query with more conditions costs mongod as much as the update. */
function countStatement(deletedUpToSeq: number, sent: readonly Sent[]): UpdateStatement {
  const marker = deletedUpToSeq > 0 ? currentMarkerIn(deletedUpToSeq) : { readSeq: '$readSeq', uncounted: '$uncounted' }
  const memberships = sent.map(([membership]) => membership)
  const position = { $indexOfArray: [{ $literal: memberships }, '$_id'] }
  const seqs = { $arrayElemAt: [{ $literal: sent.map(([, own]) => own) }, position] }
  const countedUpTo = { $max: [marker.readSeq, '$flushedSeq'] }
  const isNew = { $gt: ['$$this', '$$countedUpTo'] }
  const more = { $let: { vars: { countedUpTo }, in: { $size: { $filter: { input: seqs, cond: isNew } } } } }
  const uncounted = { $add: [marker.uncounted, more] }
  const flushedSeq = { $max: ['$flushedSeq', { $max: seqs }] }
  return {
    q: { _id: { $in: memberships } },
    u: [{ $set: { readSeq: marker.readSeq, uncounted, flushedSeq } }],
    multi: true,
  }
}

/**
 * Flushes messages that were sent before `beforeMS` and are still buffered: the process that appended them died or
 * hangs. The bus may lack their events, so they are written to the outbox; the bus dedupes them.
 * @throws the last room's error, after all other rooms are flushed
 */
export async function flushAbandoned(db: Db, beforeMS: number, limit: number): Promise<void> {
  const rooms = await findBuffers(db, await findUnflushedRooms(db, { beforeMS, limit }))
  const abandoned = rooms.map((room) => toAbandoned(room, beforeMS)).filter(({ entries }) => entries.length > 0)
  if (abandoned.length === 0) return
  const { failed, error } = await eachApart(abandoned, (some) => reclaim(db, some))
  if (failed.length > 0) throw error
}

async function reclaim(db: Db, abandoned: readonly ReturnType<typeof toAbandoned>[]): Promise<void> {
  const rooms = abandoned.map(({ room }) => room)
  await flushBuffers(db, rooms)
  await insertUnordered(
    db,
    abandoned.map(({ entries, sinceMS }) => ({
      _id: newId(),
      atMS: sinceMS,
      events: entries.map(({ _id }) => ({ kind: 'message', message: _id, event: 'chat message' })),
    })),
  )
  await recordSendKeys(
    db,
    abandoned.flatMap(({ room, entries }) =>
      entries.flatMap((entry) =>
        entry.sendKey === undefined ? [] : [{ message: fromBuffer(room, entry), sendKey: entry.sendKey }],
      ),
    ),
  )
  await pullFlushed(
    db,
    abandoned.map(({ room, entries }) => ({
      roomKey: room._id,
      ranges: [{ after: 0, upTo: entries.at(-1)?.seq ?? 0 }],
    })),
  )
}

function toAbandoned(room: RoomDoc, beforeMS: number) {
  const { buffer = [] } = room
  const entries = buffer.slice(0, buffer.findLastIndex((entry) => sentMS(entry) < beforeMS) + 1)
  return { room, entries, sinceMS: Math.min(beforeMS, ...entries.map(sentMS)) }
}

/** Send time by the sending process's clock, to the second. `createdAtMS` can be far ahead of it. */
function sentMS({ _id, createdAtMS }: BufferedMessage): number {
  return Math.min(createdAtMS, (timeOfID(_id) ?? createdAtMS) + 1_000)
}

/** Flushes rooms in one batch; if that fails, each by itself. @returns the failed rooms, and the last error */
export async function eachApart<Room>(
  rooms: readonly Room[],
  flush: (some: readonly Room[]) => Promise<void>,
): Promise<{ failed: readonly Room[]; error?: unknown }> {
  try {
    await flush(rooms)
    return { failed: [] }
  } catch (error) {
    if (isDatabaseAway(error) || rooms.length < 2) return { failed: rooms, error }
  }
  const failed: Room[] = []
  let last: unknown
  for (const room of rooms) {
    const { error, failed: own } = await eachApart([room], flush)
    failed.push(...own)
    last = error ?? last
  }
  return { failed, ...(failed.length > 0 && { error: last }) }
}
