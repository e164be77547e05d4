import { clock } from '@parley/async/clock'
import { type IndexDescription, ObjectId } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key } from '../keys.ts'
import { bySenders, messagesOf } from '../message-buckets/buckets.ts'
import { findBySeq, findMessages } from '../message-buckets/find-messages.ts'
import { findBuffers, findRoomOfBufferedMessage, unflushedOf } from '../room-buffer/buffer.ts'
import type { MessageDoc } from './documents.ts'

export const messageIndexes: IndexDescription[] = [
  { key: { roomKey: 1, updatedAtMS: -1, _id: -1 } },
  { key: { roomKey: 1, createdAtMS: -1, _id: -1 } },
  { key: { roomKey: 1, seq: 1 }, unique: true },
  { key: { roomKey: 1, sender: 1, seq: 1 } },
  { key: { roomKey: 1, isDeleted: 1, seq: 1 }, partialFilterExpression: { isDeleted: true } },
  { key: { roomKey: 1, recalled: 1, seq: 1 }, partialFilterExpression: { recalled: true } },
  { key: { roomKey: 1, pinned: 1, seq: -1 }, partialFilterExpression: { pinned: true } },
]

/** Maximum number of messages of a room with the same creation or change time. */
export const maxAtOneTime = 100

/** A new ID of a document: 24 hexadecimal digits, increasing within a process. Messages have theirs in message-id.ts. */
export function newId(): string {
  return new ObjectId(ObjectId.generate(Math.floor(clock.now() / 1_000))).toHexString()
}

/** A message of a room or its threads, flushed or in the room's buffer. */
export async function findSentMessage(db: Db, roomKey: string, id: string): Promise<MessageDoc | undefined> {
  return (await findSentMessages(db, [{ _id: id, roomKey }])).get(id)
}

/** Messages of rooms or their threads by ID, flushed or buffered; unknown IDs are omitted. */
export async function findSentMessages(
  db: Db,
  wanted: readonly Pick<MessageDoc, '_id' | 'roomKey'>[],
): Promise<Map<string, MessageDoc>> {
  const roomOf = new Map(wanted.map(({ _id, roomKey }) => [_id, roomKey]))
  const found = new Map<string, MessageDoc>()
  const add = (messages: readonly MessageDoc[]) => {
    for (const message of messages) {
      if (roomOf.get(message._id) === key(message.app, message.room)) found.set(message._id, message)
    }
  }
  const missing = () => wanted.filter(({ _id }) => !found.has(_id))
  add(await findMessages(db, [...roomOf.keys()]))
  if (found.size === roomOf.size) return found
  const buffers = await findBuffers(db, [...new Set(missing().map(({ roomKey }) => roomKey))])
  // Read flushed messages again: a message that left the buffer in between is flushed.
  add(await findMessages(db, idsOf(missing())))
  add(buffers.flatMap(unflushedOf).filter(({ _id }) => !found.has(_id)))
  return found
}

/** A flushed message of the room itself. The caller must have locked the room (lockRoom), or read its buffer first. */
export async function findMessage(db: Db, roomKey: string, id: string, session?: Session): Promise<MessageDoc | null> {
  return (await findMessages(db, [id], { roomKey, session }))[0] ?? null
}

export async function findMessageAt(
  db: Db,
  roomKey: string,
  seq: number,
  session: Session,
): Promise<string | undefined> {
  const [found] = await findBySeq(db, roomKey, { after: seq - 1, upTo: seq }, { session })
  return found?._id
}

/** Time of each user's last flushed message in the room; users without one are omitted. */
export async function findLastSent(db: Db, roomKey: string, senders: readonly string[]): Promise<Map<string, number>> {
  const found = await Promise.all(senders.map((sender) => findTimesOfLast(db, roomKey, sender)))
  return new Map(
    senders.flatMap((sender, i) => {
      const times = found[i] ?? []
      return times.length > 0 ? [[sender, Math.max(...times)] as const] : []
    }),
  )
}

/** Times of the sender's messages in their last bucket, and of their last one in `messages`. */
async function findTimesOfLast(db: Db, roomKey: string, sender: string): Promise<number[]> {
  const [last] = await db.messageBuckets
    .find({ roomKey, senders: sender }, { hint: bySenders.key, sort: { number: -1 }, limit: 1 })
    .toArray()
  const inBucket = last ? messagesOf(last).filter((message) => message.sender === sender) : []
  const fields = { sort: { seq: -1 }, projection: { createdAtMS: 1 } } as const
  const apart = await db.messages.findOne({ roomKey, sender }, fields)
  return [...inBucket, ...(apart ? [apart] : [])].map(({ createdAtMS }) => createdAtMS)
}

export async function findRoomOfMessage(db: Db, app: string, id: string): Promise<string | undefined> {
  const find = async () => (await findMessages(db, [id], { app }))[0]?.room
  // Read flushed messages again: a message that left its buffer in between is flushed.
  return (await find()) ?? (await findRoomOfBufferedMessage(db, app, id)) ?? (await find())
}

/** Pinned messages of a room between two seqs, newest first. Pinning flushes a message, so all are in `messages`. */
export async function findPins(
  db: Db,
  roomKey: string,
  { afterSeq, beforeSeq }: { afterSeq: number; beforeSeq: number },
  limit: number,
): Promise<MessageDoc[]> {
  return db.messages
    .find({ roomKey, pinned: true, seq: { $gt: afterSeq, $lt: beforeSeq } })
    .sort({ seq: -1 })
    .limit(limit)
    .toArray()
}
