import type { RoomType } from '@parley/contracts/resources/room'
import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'
import { ChangedMeanwhile } from './transaction.ts'

export interface RoomDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  roomType: RoomType
  name: string
  cover: string
  description: string
  webhook: string
  botState: string
  botMode: boolean
  encrypted: boolean
  serviceStatus: number
  roomTags: string[]
  extParams: Record<string, unknown>
  status: 0 | 1
  opening: 0 | 1
  owner?: string
  managers: string[]
  /** Set on a deleted room: gone from every list. */
  deletedAt?: Date
  /** On a direct room, its two members in order, as key(app, a, b): one room per pair. */
  pair?: string
  createdAtMS: number
  /** Number of the last message: counts the messages too, since seq has no holes and nothing is removed. */
  seq: number
  /** The highest updated time given to a message here; grows with every write, so that a cursor never skips one. */
  clockMS: number
  lastMessageID?: string
  lastMessageAtMS: number
  /** Every message up to this seq is deleted for all, even while its document does not say so yet. */
  deletedUpToSeq?: number
  /** Deleting all messages goes on in the background: see erase-messages. */
  erasing?: Erasing
  memberCount: number
  /** The first members, to show in lists without reading all memberships. */
  firstMembers: string[]
}

/** What is left to do of deleting all messages of a room. */
export interface Erasing {
  /** The documents of the messages up to this seq are stubs already. */
  doneUpToSeq: number
  /** Nobody else works on it before this time. */
  leaseUntilMS: number
  /** ID of the messageDeleted event, while the bus has not acknowledged it. */
  unpublished?: string
}

export const roomIndexes: IndexDescription[] = [
  { key: { pair: 1 }, unique: true, partialFilterExpression: { pair: { $exists: true } } },
  { key: { app: 1, createdAtMS: 1 } },
  { key: { 'erasing.leaseUntilMS': 1 }, partialFilterExpression: { erasing: { $exists: true } } },
]

export async function findRoom(db: Db, app: string, id: string, session?: ClientSession): Promise<RoomDoc | null> {
  return db.rooms.findOne({ _id: key(app, id) }, { ...(session && { session }) })
}

export async function findRoomsByKey(db: Db, keys: readonly string[], session?: ClientSession): Promise<RoomDoc[]> {
  if (keys.length === 0) return []
  return db.rooms.find({ _id: { $in: [...keys] } }, { ...(session && { session }) }).toArray()
}

/** How many rooms an app has. */
export async function countRooms(db: Db, app: string): Promise<number> {
  return db.rooms.countDocuments({ app, deletedAt: { $exists: false } })
}

/** Which of these rooms have a webhook, and which. */
export async function findWebhooks(db: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const rooms = await db.rooms
    .find({ _id: { $in: [...keys] }, webhook: { $ne: '' } }, { projection: { webhook: 1 } })
    .toArray()
  return new Map(rooms.map(({ _id, webhook }) => [_id, webhook]))
}

/** Moves a room to another bot state; null when it is in it already, or gone. */
export async function setBotState(db: Db, app: string, id: string, botState: string): Promise<RoomDoc | null> {
  return db.rooms.findOneAndUpdate(
    { _id: key(app, id), botState: { $ne: botState }, deletedAt: { $exists: false } },
    { $set: { botState } },
    { returnDocument: 'after' },
  )
}

/** Changes a room inside a transaction; answers it as it is then. A deleted one leaves its pair free. */
export async function updateRoomDoc(
  db: Db,
  room: RoomDoc,
  change: Partial<RoomDoc>,
  session: ClientSession,
): Promise<RoomDoc> {
  const { deletedAt } = change
  const update = { $set: change, ...(deletedAt && { $unset: { pair: 1 as const } }) }
  if (Object.keys(change).length === 0) return room
  const after = await db.rooms.findOneAndUpdate({ _id: room._id }, update, { session, returnDocument: 'after' })
  return after ?? room
}

/** The key that makes a direct room the only one of its two users, in whatever order they are given. */
export function pairKey(app: string, a: string, b: string): string {
  return a < b ? key(app, a, b) : key(app, b, a)
}

/**
 * Takes the time of a change to a message of the room, inside the transaction that writes the message: later than
 * any that the room has given before, so that a reader who pages by updated time never passes a change.
 */
export async function takeRoomTime(db: Db, room: RoomDoc, session: ClientSession): Promise<number> {
  const clockMS = Math.max(Date.now(), room.clockMS + 1)
  await db.rooms.updateOne({ _id: room._id }, { $set: { clockMS } }, { session })
  return clockMS
}

/** Marks every message of the room as deleted for all, and what is left to do. */
export async function markAllDeleted(db: Db, room: RoomDoc, erasing: Erasing, session: ClientSession): Promise<void> {
  await db.rooms.updateOne({ _id: room._id }, { $set: { deletedUpToSeq: room.seq, erasing } }, { session })
}

/** A room whose messages nobody is erasing now, leased to the caller; null when there is none. */
export async function leaseErasing(db: Db, leaseMS: number): Promise<RoomDoc | null> {
  const now = Date.now()
  return db.rooms.findOneAndUpdate(
    { erasing: { $exists: true }, 'erasing.leaseUntilMS': { $lte: now } },
    { $set: { 'erasing.leaseUntilMS': now + leaseMS } },
    { hint: { 'erasing.leaseUntilMS': 1 }, returnDocument: 'after' },
  )
}

/** Notes how far erasing has come; with no more to do, that it is over. */
export async function setErasing(db: Db, room: string, erasing: Erasing | null, session: ClientSession): Promise<void> {
  const update = erasing ? { $set: { erasing } } : { $unset: { erasing: 1 as const } }
  await db.rooms.updateOne({ _id: room }, update, { session })
}

/** Notes that the bus has the event of deleting all messages. */
export async function markErasingPublished(db: Db, room: string, event: string): Promise<void> {
  await db.rooms.updateOne({ _id: room, 'erasing.unpublished': event }, { $unset: { 'erasing.unpublished': 1 } })
}

/** What one batch of messages does to its room. */
export interface RoomAdvance {
  /** As it was read, maybe outside the transaction. */
  room: RoomDoc
  seq: number
  clockMS: number
  lastMessageID: string
}

/**
 * Moves rooms forward after their messages, inside the transaction that inserts these.
 * @throws ChangedMeanwhile when one of them is not as it was read, in what decides over a message
 */
export async function advanceRooms(db: Db, advances: readonly RoomAdvance[], session: ClientSession): Promise<void> {
  const { matchedCount } = await db.rooms.bulkWrite(
    advances.map(({ room, seq, clockMS, lastMessageID }) => ({
      updateOne: {
        filter: {
          _id: room._id,
          seq: room.seq,
          clockMS: room.clockMS,
          status: room.status,
          deletedAt: { $exists: false },
          deletedUpToSeq: room.deletedUpToSeq ?? { $exists: false },
        },
        update: { $set: { seq, clockMS, lastMessageID, lastMessageAtMS: clockMS } },
      },
    })),
    { session, ordered: false },
  )
  if (matchedCount < advances.length) throw new ChangedMeanwhile('a room has changed')
}

/** @throws a duplicate key error when the ID or the pair of a direct room is taken. */
export async function insertRoom(db: Db, room: RoomDoc, session: ClientSession): Promise<void> {
  await db.rooms.insertOne(room, { session })
}

export async function findDirectRoom(db: Db, pair: string, session?: ClientSession): Promise<RoomDoc | null> {
  return db.rooms.findOne({ pair }, { ...(session && { session }) })
}
