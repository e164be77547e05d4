import type { Db, Session } from '../db.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import { bySenders, messagesOf, perBucket } from '../message-buckets/buckets.ts'
import { joined } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from './documents.ts'

/** The rooms of a page in which a user has written. */
interface RoomsOfSender {
  rooms: { _id: string; id: string }[]
  /** Key of the last examined room; absent on the last page. */
  next?: string
}

/**
 * Rooms of an app in which a user has written, including rooms that the user has left. Examines `limit` rooms per page.
 */
export async function findRoomsOfSender(
  db: Db,
  app: string,
  sender: string,
  afterRoom: string | undefined,
  limit: number,
): Promise<RoomsOfSender> {
  const page = await db.rooms
    .find({ _id: { ...keyRange(app), ...(afterRoom !== undefined && { $gt: afterRoom }) } })
    .project<{ _id: string; id?: string; buffer?: { sender: string }[] }>({ id: 1, 'buffer.sender': 1 })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
  const roomKey = { $in: idsOf(page) }
  const byRoom = { $group: { _id: '$roomKey' } }
  // Read buckets first: messages move from buckets to `messages`.
  const inBuckets = await db.messageBuckets
    .aggregate<{ _id: string }>([{ $match: { roomKey, senders: sender } }, byRoom], { hint: bySenders.key })
    .toArray()
  const apart = await db.messages.aggregate<{ _id: string }>([{ $match: { roomKey, sender } }, byRoom]).toArray()
  const written = new Set([...inBuckets, ...apart].map(({ _id }) => _id))
  const rooms = page.flatMap(({ _id, id, buffer = [] }) =>
    // `rooms` also holds the configuration mark, which has no `id`.
    id !== undefined && (written.has(_id) || buffer.some((one) => one.sender === sender)) ? [{ _id, id }] : [],
  )
  const last = page.at(-1)
  return { rooms, ...(last && page.length === limit && { next: last._id }) }
}

/** Keys of the threads of a room in which a user has written. Their messages are never in buckets. */
export async function findThreadsOfSender(
  db: Db,
  { app, room }: { app: string; room: string },
  sender: string,
): Promise<string[]> {
  const found = await db.messages
    .aggregate<{ _id: string }>([
      { $match: { roomKey: keyRange(key(app, room)), sender } },
      { $group: { _id: '$roomKey' } },
    ])
    .toArray()
  return found.map(({ _id }) => _id)
}

/** A sender's next flushed messages in a room or thread, by seq. Continue after `next`. */
export async function findMessagesOfSender(
  db: Db,
  roomKey: string,
  sender: string,
  { afterSeq, limit }: { afterSeq: number; limit: number },
  session?: Session,
): Promise<{ messages: MessageDoc[]; next: number | undefined }> {
  const number = { $gte: Math.floor(afterSeq / perBucket) }
  const options = session && { session }
  const maxBuckets = Math.ceil(limit / perBucket)
  const buckets = await db.messageBuckets
    .find(
      { roomKey, senders: sender, number },
      { ...options, hint: bySenders.key, sort: { number: 1 }, limit: maxBuckets },
    )
    .toArray()
  const apart = await db.messages
    .find({ roomKey, sender, seq: { $gt: afterSeq } }, { ...options })
    .sort({ seq: 1 })
    .limit(limit)
    .toArray()
  // Both reads are complete up to `end`.
  const endOfBuckets = buckets.length < maxBuckets ? Infinity : ((buckets.at(-1)?.number ?? 0) + 1) * perBucket
  const end = Math.min(endOfBuckets, apart.length < limit ? Infinity : (apart.at(-1)?.seq ?? 0))
  const isWanted = (message: MessageDoc) => message.sender === sender && message.seq > afterSeq
  const found = joined(buckets.flatMap(messagesOf).filter(isWanted), apart)
    .filter(({ seq }) => seq <= end)
    .toSorted((a, b) => a.seq - b.seq)
  const messages = found.slice(0, limit)
  if (messages.length < found.length) return { messages, next: messages.at(-1)?.seq }
  return { messages, next: end === Infinity ? undefined : end }
}
