import { type ClientSession, type Filter, type FindCursor, type IndexDescription, ObjectId } from 'mongodb'
import type { Db } from './connect.ts'
import { noteChange } from './outbox.ts'
import type { RoomDoc } from './rooms.ts'

export interface MessageDoc {
  /** 24 hexadecimal digits, growing within a process. */
  _id: string
  app: string
  room: string
  roomKey: string
  seq: number
  sender: string
  /** The content as JSON text: any JSON survives as it was, however deep or oddly named its keys. */
  content?: string
  messageType: string
  createdAtMS: number
  updatedAtMS: number
  reactions?: { client: string; reaction: string }[]
  mentions?: string[]
  clientMessageID?: string
  pinned?: true
  isDeleted?: true
  /** The sender asked for no push. */
  push?: false
  /** A room's webhook answered it: that is not told of it again. */
  webhook?: false
  /** ID of the request that wrote it, for the log lines of its way. */
  request?: string
}

export const messageIndexes: IndexDescription[] = [
  { key: { roomKey: 1, updatedAtMS: -1, _id: -1 } },
  { key: { roomKey: 1, createdAtMS: -1, _id: -1 } },
  { key: { roomKey: 1, seq: 1 }, unique: true },
  { key: { roomKey: 1, sender: 1, seq: 1 } },
  { key: { roomKey: 1, isDeleted: 1, seq: 1 }, partialFilterExpression: { isDeleted: true } },
]

/** A new message ID: 24 hexadecimal digits that grow within a process. */
export function newMessageId(): string {
  return new ObjectId().toHexString()
}

export async function insertMessages(db: Db, messages: MessageDoc[], session: ClientSession): Promise<void> {
  await db.messages.insertMany(messages, { session, ordered: true })
}

export async function findMessage(
  db: Db,
  roomKey: string,
  id: string,
  session?: ClientSession,
): Promise<MessageDoc | null> {
  return db.messages.findOne({ _id: id, roomKey }, { ...(session && { session }) })
}

/** A message of whatever room of the app. */
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

/** The messages of a room with these IDs; others are left out. */
export async function findMessagesOfRoom(
  db: Db,
  roomKey: string,
  ids: readonly string[],
  session?: ClientSession,
): Promise<MessageDoc[]> {
  return db.messages.find({ _id: { $in: [...ids] }, roomKey }, { ...(session && { session }) }).toArray()
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

/** What a change to a message sets, and which parts it takes away. */
export interface MessageChange {
  set?: Partial<Pick<MessageDoc, 'content' | 'messageType' | 'mentions' | 'reactions' | 'pinned' | 'isDeleted'>>
  without?: readonly ('content' | 'mentions' | 'reactions' | 'pinned')[]
}

/** A message that is deleted for all keeps its place and loses what it said. */
const stub: MessageChange = { set: { isDeleted: true }, without: ['content', 'mentions', 'reactions', 'pinned'] }

function withChange(message: MessageDoc, { set, without = [] }: MessageChange): MessageDoc {
  const changed = { ...message, ...set }
  for (const part of without) delete changed[part]
  return changed
}

/** Changes a message inside a transaction and puts the event into the outbox; answers the message as it is then. */
export async function changeMessage(
  db: Db,
  message: MessageDoc,
  change: MessageChange,
  updatedAtMS: number,
  event: 'messageUpdated' | 'messageDeleted',
  session: ClientSession,
): Promise<MessageDoc> {
  const changed = { ...withChange(message, change), updatedAtMS }
  await db.messages.replaceOne({ _id: message._id }, changed, { session })
  await noteChange(db, changed, event, session)
  return changed
}

/** Makes a message a stub inside a transaction; answers the stub. */
export async function deleteMessage(
  db: Db,
  message: MessageDoc,
  updatedAtMS: number,
  session: ClientSession,
): Promise<MessageDoc> {
  return changeMessage(db, message, stub, updatedAtMS, 'messageDeleted', session)
}

/** Makes the messages after one seq up to another stubs, those that are not yet. */
export async function stubMessages(
  db: Db,
  roomKey: string,
  range: { afterSeq: number; upToSeq: number },
  updatedAtMS: number,
  session: ClientSession,
): Promise<void> {
  await db.messages.updateMany(
    { roomKey, seq: { $gt: range.afterSeq, $lte: range.upToSeq }, isDeleted: { $ne: true } },
    { $set: { isDeleted: true, updatedAtMS }, $unset: { content: 1, mentions: 1, reactions: 1, pinned: 1 } },
    { session },
  )
}

/** How many messages of the room were deleted for all one by one. */
export async function countDeletedSince(db: Db, room: RoomDoc, session: ClientSession): Promise<number> {
  const seq = { $gt: room.deletedUpToSeq ?? 0 }
  return db.messages.countDocuments({ roomKey: room._id, isDeleted: true, seq }, { session })
}

/** Whether a message is deleted for all, be it alone or with all of its room. */
export function isDeletedIn(message: MessageDoc, room: Pick<RoomDoc, 'deletedUpToSeq'>): boolean {
  return message.isDeleted === true || message.seq <= (room.deletedUpToSeq ?? 0)
}

/** A message as it is to be shown now: a stub as soon as its room says that all up to it are deleted. */
export function currentMessage(message: MessageDoc, room: Pick<RoomDoc, 'deletedUpToSeq'>): MessageDoc {
  return isDeletedIn(message, room) ? withChange(message, stub) : message
}

export type TimeField = 'updatedAtMS' | 'createdAtMS'

/** Where a page of history begins: strictly before or after a place in the order, or after a time. */
export type PageStart =
  | { from: 'end' }
  | { from: 'before' | 'after'; timeMS: number; id: string }
  | { from: 'afterTime'; timeMS: number }

/**
 * One page of a room's history by (time field, _id): latest first, or oldest first after a message or
 * time. Reads one index and examines no more documents than it returns.
 */
export function historyPage(
  db: Db,
  roomKey: string,
  start: PageStart,
  field: TimeField,
  limit: number,
): FindCursor<MessageDoc> {
  const forward = start.from === 'after' || start.from === 'afterTime'
  return db.messages
    .find(pageFilter(roomKey, start, field))
    .sort(forward ? { [field]: 1, _id: 1 } : { [field]: -1, _id: -1 })
    .limit(limit)
}

function pageFilter(roomKey: string, start: PageStart, field: TimeField): Filter<MessageDoc> {
  if (start.from === 'end') return { roomKey }
  if (start.from === 'afterTime') return { roomKey, [field]: { $gt: start.timeMS } }
  const than = start.from === 'before' ? '$lt' : '$gt'
  // Each branch whole, so that the planner merges two index scans instead of sorting.
  return {
    $or: [
      { roomKey, [field]: start.timeMS, _id: { [than]: start.id } },
      { roomKey, [field]: { [than]: start.timeMS } },
    ],
  }
}

/**
 * Of the room's messages after `seq`: how many do not count as unread for the user because they are
 * his own, deleted for all, or deleted by him.
 */
export async function countUncountedAfter(
  db: Db,
  roomKey: string,
  user: string,
  seq: number,
  session: ClientSession,
): Promise<number> {
  const [own, deleted, hidden] = [
    await db.messages.countDocuments({ roomKey, sender: user, seq: { $gt: seq } }, { session }),
    await db.messages
      .find({ roomKey, isDeleted: true, seq: { $gt: seq } }, { session, projection: { seq: 1, sender: 1 } })
      .toArray(),
    await db.userDeletions
      .find({ roomKey, user, seq: { $gt: seq } }, { session, projection: { seq: 1, sender: 1 } })
      .toArray(),
  ]
  const others = [...deleted, ...hidden].filter((message) => message.sender !== user)
  return own + new Set(others.map((message) => message.seq)).size
}
