import { type ClientSession, type IndexDescription, ObjectId } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { RoomDoc } from '../rooms/rooms.ts'
import { findRoomOfTailMessage, findTails, unsettledOf } from '../sending/tails.ts'
import type { Thread } from '../threads/thread.ts'

export interface MessageDoc {
  /** 24 hexadecimal digits, growing within a process. */
  _id: string
  app: string
  room: string
  /** key(app, room); of a message of a thread, the key of the thread, in which its seq counts. */
  roomKey: string
  seq: number
  sender: string
  /** The content as JSON text: any JSON survives as it was, whatever its depth and keys. */
  content?: string
  messageType: string
  createdAtMS: number
  updatedAtMS: number
  reactions?: { client: string; reaction: string }[]
  mentions?: string[]
  clientMessageID?: string
  /** ID of the message of the same room that it replies to. */
  replyTo?: string
  /** ID of the message whose thread it is in. */
  threadOf?: string
  /** The thread about it. */
  thread?: Thread
  pinned?: true
  /** Its content was replaced. */
  edited?: true
  /** A robot is still writing it (message-streams.ts); `streamed`: the length of the text so far. */
  streaming?: true
  streamed?: number
  isDeleted?: true
  /** The sender asked for no push. */
  push?: false
  /** The sender asked for no badge in its pushes. */
  skipTotalBadge?: true
  /** The room's webhook returned it, and does not receive it. */
  webhook?: false
  /** ID of the request that wrote it, for the log lines. */
  request?: string
}

export const messageIndexes: IndexDescription[] = [
  { key: { roomKey: 1, updatedAtMS: -1, _id: -1 } },
  { key: { roomKey: 1, createdAtMS: -1, _id: -1 } },
  { key: { roomKey: 1, seq: 1 }, unique: true },
  { key: { roomKey: 1, sender: 1, seq: 1 } },
  { key: { roomKey: 1, isDeleted: 1, seq: 1 }, partialFilterExpression: { isDeleted: true } },
]

/** At most this many messages of a room share a time, of creation or of the last change. */
export const mostAtOneTime = 100

/** A new message ID: 24 hexadecimal digits that grow within a process. */
export function newId(): string {
  return new ObjectId().toHexString()
}

export async function insertMessages(db: Db, messages: MessageDoc[], session: ClientSession): Promise<void> {
  await db.messages.insertMany(messages, { session, ordered: true })
}

/** A message of a room or its threads, be it settled or in the room's tail. */
export async function findSentMessage(db: Db, roomKey: string, id: string): Promise<MessageDoc | undefined> {
  return (await findSentMessages(db, [{ _id: id, roomKey }])).get(id)
}

/** Messages of rooms or their threads, be they settled or in the tails, by ID; what is not there is left out. */
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
  const tails = await findTails(db, [...new Set(missing().map(({ roomKey }) => roomKey))])
  // What has left the tail between the two looks is settled.
  add(
    await findMessages(
      db,
      missing().map(({ _id }) => _id),
    ),
  )
  add(tails.flatMap(unsettledOf).filter(({ _id }) => !found.has(_id)))
  return found
}

/** A message of the room itself that is settled: for who has taken the room (takeRoom), or has read the tail before. */
export async function findMessage(
  db: Db,
  roomKey: string,
  id: string,
  session?: ClientSession,
): Promise<MessageDoc | null> {
  return db.messages.findOne({ _id: id, roomKey }, { ...(session && { session }) })
}

/** The ID of the room's message with a seq. */
export async function findMessageAt(
  db: Db,
  roomKey: string,
  seq: number,
  session: ClientSession,
): Promise<string | undefined> {
  const found = await db.messages.findOne({ roomKey, seq }, { session, projection: { _id: 1 } })
  return found?._id
}

/** When these users sent their last settled message to the room; those without one are left out. */
export async function findLastSent(db: Db, roomKey: string, senders: readonly string[]): Promise<Map<string, number>> {
  const found = await Promise.all(
    senders.map((sender) =>
      db.messages.findOne({ roomKey, sender }, { sort: { seq: -1 }, projection: { sender: 1, createdAtMS: 1 } }),
    ),
  )
  return new Map(found.flatMap((last) => (last ? [[last.sender, last.createdAtMS] as const] : [])))
}

/** In which room of the app a message is, be it settled or in a tail. */
export async function findRoomOfMessage(db: Db, app: string, id: string): Promise<string | undefined> {
  const find = async () => (await db.messages.findOne({ _id: id, app }, { projection: { room: 1 } }))?.room
  // What leaves a tail between the looks is settled.
  return (await find()) ?? (await findRoomOfTailMessage(db, app, id)) ?? (await find())
}

/** A settled message of whatever room of the app. */
export async function findMessageOfApp(
  db: Db,
  app: string,
  id: string,
  session?: ClientSession,
): Promise<MessageDoc | null> {
  return db.messages.findOne({ _id: id, app }, { ...(session && { session }) })
}

export async function findMessages(db: Db, ids: readonly string[], session?: ClientSession): Promise<MessageDoc[]> {
  if (ids.length === 0) return []
  return db.messages.find({ _id: { $in: [...ids] } }, { ...(session && { session }) }).toArray()
}

/** The settled messages of a room and its threads with these IDs; others are left out. */
export async function findMessagesOfRoom(
  db: Db,
  { app, id }: Pick<RoomDoc, 'app' | 'id'>,
  ids: readonly string[],
  session?: ClientSession,
): Promise<MessageDoc[]> {
  return db.messages.find({ _id: { $in: [...ids] }, app, room: id }, { ...(session && { session }) }).toArray()
}

/** The messages of a room after a seq, in its order. */
export async function findMessagesAfter(
  db: Db,
  roomKey: string,
  seq: number,
  limit: number,
  session: ClientSession,
): Promise<MessageDoc[]> {
  return db.messages
    .find({ roomKey, seq: { $gt: seq } }, { session })
    .sort({ seq: 1 })
    .limit(limit)
    .toArray()
}

/** What a change sets in a message, and what it removes. */
export interface MessageChange {
  set?: Partial<
    Pick<MessageDoc, 'content' | 'messageType' | 'mentions' | 'reactions' | 'pinned' | 'edited' | 'isDeleted'>
  >
  without?: readonly ('content' | 'mentions' | 'reactions' | 'pinned' | 'push' | 'streaming' | 'streamed')[]
}

/** What a message has while it is being streamed. */
export const ofStream = ['streaming', 'streamed'] as const

/** A message that is deleted for all keeps its place and loses its content. */
const stub: MessageChange = {
  set: { isDeleted: true },
  without: ['content', 'mentions', 'reactions', 'pinned', ...ofStream],
}

function withChange(message: MessageDoc, { set, without = [] }: MessageChange): MessageDoc {
  const changed = { ...message, ...set }
  for (const part of without) delete changed[part]
  return changed
}

/** Changes a message inside a transaction; returns the changed message. */
export async function changeMessage(
  db: Db,
  message: MessageDoc,
  change: MessageChange,
  updatedAtMS: number,
  session: ClientSession,
): Promise<MessageDoc> {
  const changed = { ...withChange(message, change), updatedAtMS }
  await db.messages.replaceOne({ _id: message._id }, changed, { session })
  return changed
}

/** Makes a message a stub inside a transaction; returns the stub. */
export async function deleteMessage(
  db: Db,
  message: MessageDoc,
  updatedAtMS: number,
  session: ClientSession,
): Promise<MessageDoc> {
  return changeMessage(db, message, stub, updatedAtMS, session)
}

/** Makes the messages of a range of seqs stubs. At most `mostAtOneTime`, since they all get one time. */
export async function stubMessages(
  db: Db,
  roomKey: string,
  range: { afterSeq: number; upToSeq: number },
  updatedAtMS: number,
  session: ClientSession,
): Promise<void> {
  await db.messages.updateMany(
    { roomKey, seq: { $gt: range.afterSeq, $lte: range.upToSeq }, isDeleted: { $ne: true } },
    asStub(updatedAtMS),
    { session },
  )
}

/** The update that makes messages stubs. */
export function asStub(updatedAtMS: number) {
  return {
    $set: { isDeleted: true as const, updatedAtMS },
    $unset: { content: 1, mentions: 1, reactions: 1, pinned: 1, streaming: 1, streamed: 1 } as const,
  }
}

/** Messages of a room up to a seq, the latest first. */
export async function findMessagesUpTo(
  db: Db,
  roomKey: string,
  upToSeq: number,
  limit: number,
): Promise<Pick<MessageDoc, '_id' | 'seq' | 'createdAtMS'>[]> {
  return db.messages
    .find({ roomKey, seq: { $lte: upToSeq } })
    .project<Pick<MessageDoc, '_id' | 'seq' | 'createdAtMS'>>({ seq: 1, createdAtMS: 1 })
    .sort({ seq: -1 })
    .limit(limit)
    .toArray()
}

/** How many messages of the room were deleted for all individually. */
export async function countDeletedSince(db: Db, room: RoomDoc, session: ClientSession): Promise<number> {
  const seq = { $gt: room.deletedUpToSeq ?? 0 }
  return db.messages.countDocuments({ roomKey: room._id, isDeleted: true, seq }, { session })
}

/** What a room says of deletions. */
export type Deletions = Pick<RoomDoc, 'deletedUpToSeq' | 'deletedUpToMS'>

/** Whether a message is deleted for all, individually or with all of its room. */
export function isDeletedIn(
  message: Pick<MessageDoc, 'seq' | 'createdAtMS' | 'isDeleted' | 'threadOf'>,
  room: Deletions,
): boolean {
  if (message.isDeleted === true) return true
  // A room's clock gives the messages of its threads their times, and moves with each.
  return message.threadOf === undefined
    ? message.seq <= (room.deletedUpToSeq ?? 0)
    : message.createdAtMS <= (room.deletedUpToMS ?? 0)
}

/** A message as clients see it: a stub as soon as its room says that all up to it are deleted. */
export function currentMessage(message: MessageDoc, room: Deletions): MessageDoc {
  return isDeletedIn(message, room) ? withChange(message, stub) : message
}

/** The message is not being streamed any more, and stays as it is. */
export async function stopStreaming(db: Db, message: string): Promise<void> {
  await db.messages.updateOne({ _id: message }, { $unset: { streaming: 1, streamed: 1 } })
}
