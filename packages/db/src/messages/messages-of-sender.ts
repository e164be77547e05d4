import type { ClientSession } from 'mongodb'
import type { Db } from '../db.ts'
import { keyRange } from '../keys.ts'
import { bySenders, messagesOf, perBucket } from '../message-buckets/buckets.ts'
import { joined } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from './documents.ts'

/** Rooms of a page in which a user has written. */
export interface RoomsOfSender {
  rooms: { _id: string; id: string }[]
  /** The key of the last room that was looked at; absent on the last page. */
  next?: string
}

/** Rooms of an app in which a user has written, also those that they have left: reads index entries of each room of the page. */
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
  const roomKey = { $in: page.map(({ _id }) => _id) }
  const byRoom = { $group: { _id: '$roomKey' } }
  // A message moves from its bucket to `messages`.
  const inBuckets = await db.messageBuckets
    .aggregate<{ _id: string }>([{ $match: { roomKey, senders: sender } }, byRoom], { hint: bySenders.key })
    .toArray()
  const apart = await db.messages.aggregate<{ _id: string }>([{ $match: { roomKey, sender } }, byRoom]).toArray()
  const written = new Set([...inBuckets, ...apart].map(({ _id }) => _id))
  const rooms = page.flatMap(({ _id, id, buffer = [] }) =>
    // The mark of the configuration lies among the rooms.
    id !== undefined && (written.has(_id) || buffer.some((one) => one.sender === sender)) ? [{ _id, id }] : [],
  )
  const last = page.at(-1)
  return { rooms, ...(last && page.length === limit && { next: last._id }) }
}

/** A sender's next flushed messages of a room or thread after a seq, in the order of seq. */
export async function findMessagesOfSender(
  db: Db,
  roomKey: string,
  sender: string,
  { afterSeq, limit }: { afterSeq: number; limit: number },
  session?: ClientSession,
): Promise<MessageDoc[]> {
  const number = { $gte: Math.floor(afterSeq / perBucket) }
  const options = session && { session }
  const buckets = await db.messageBuckets
    .find({ roomKey, senders: sender, number }, { ...options, hint: bySenders.key, sort: { number: 1 }, limit })
    .toArray()
  const isWanted = (message: MessageDoc) => message.sender === sender && message.seq > afterSeq
  const apart = await db.messages
    .find({ roomKey, sender, seq: { $gt: afterSeq } }, { ...options })
    .sort({ seq: 1 })
    .limit(limit)
    .toArray()
  return joined(buckets.flatMap(messagesOf).filter(isWanted), apart)
    .toSorted((a, b) => a.seq - b.seq)
    .slice(0, limit)
}
