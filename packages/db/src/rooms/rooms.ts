import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { ownRetentionIndexes } from '../retention/sweeps.ts'
import { bufferIndexes, withoutBuffer } from '../room-buffer/buffer.ts'
import { nameFromWords } from '../users/searched-names.ts'
import type { RoomDoc } from './documents.ts'
import { freePairs } from './pairs.ts'
import { roomListIndexes } from './room-list.ts'
import { newVersion } from './version.ts'

export const roomIndexes: IndexDescription[] = [
  { key: { app: 1, deletedAt: 1 }, partialFilterExpression: { deletedAt: { $exists: true } } },
  { key: { 'erasing.leaseUntilMS': 1 }, partialFilterExpression: { erasing: { $exists: true } } },
  ...roomListIndexes,
  ...ownRetentionIndexes,
  ...bufferIndexes,
]

/** Returns a changed room without its buffer, which buffer.ts reads. */
const after = { returnDocument: 'after', projection: withoutBuffer } as const

export async function findRoom(db: Db, app: string, id: string, session?: Session): Promise<RoomDoc | null> {
  return db.rooms.findOne({ _id: key(app, id) }, { projection: withoutBuffer, ...(session && { session }) })
}

export async function findRoomsByKey(db: Db, keys: readonly string[], session?: Session): Promise<RoomDoc[]> {
  if (keys.length === 0) return []
  const options = { projection: withoutBuffer, ...(session && { session }) }
  return db.rooms.find({ _id: { $in: [...keys] } }, options).toArray()
}

/** The fields by which lists of rooms are filtered and sorted. */
export type RoomSummary = Pick<
  RoomDoc,
  '_id' | 'id' | 'name' | 'createdAtMS' | 'lastMessageAtMS' | 'seq' | 'deletedUpToSeq' | 'deletedUpToMS' | 'roomTags'
>

export const summaryFields = {
  id: 1,
  name: 1,
  createdAtMS: 1,
  lastMessageAtMS: 1,
  seq: 1,
  deletedUpToSeq: 1,
  deletedUpToMS: 1,
  roomTags: 1,
} as const

/** The rooms among these with messages since a time, without deleted ones, latest first. */
export async function findRoomsActiveSince(db: Db, keys: readonly string[], sinceMS: number): Promise<RoomSummary[]> {
  if (keys.length === 0) return []
  const found = await db.rooms
    .find({ _id: { $in: [...keys] }, deletedAt: { $exists: false }, lastMessageAtMS: { $gte: sinceMS } })
    .project<RoomSummary>(summaryFields)
    .toArray()
  return found.sort((a, b) => b.lastMessageAtMS - a.lastMessageAtMS)
}

/** The rooms among these with thread messages since a time, without deleted ones, latest first. */
export async function findRoomsWithThreadsSince(
  db: Db,
  keys: readonly string[],
  sinceMS: number,
  limit: number,
): Promise<RoomDoc[]> {
  if (keys.length === 0) return []
  return db.rooms
    .find({ _id: { $in: [...keys] }, deletedAt: { $exists: false }, lastThreadAtMS: { $gte: sinceMS } })
    .sort({ lastThreadAtMS: -1 })
    .limit(limit)
    .toArray()
}

/** The number of an app's rooms, without deleted ones. Reads index entries, and documents of deleted rooms only. */
export async function countRooms(db: Db, app: string): Promise<number> {
  const [all, deleted] = await Promise.all([
    db.rooms.countDocuments({ app }, { hint: { app: 1, createdAtMS: 1, _id: 1 } }),
    db.rooms.countDocuments({ app, deletedAt: { $exists: true } }, { hint: { app: 1, deletedAt: 1 } }),
  ])
  return all - deleted
}

export async function findWebhooks(db: Db, keys: readonly string[]): Promise<Map<string, string>> {
  const rooms = await db.rooms
    .find({ _id: { $in: [...keys] }, webhook: { $ne: '' } }, { projection: { webhook: 1 } })
    .toArray()
  return new Map(rooms.map(({ _id, webhook }) => [_id, webhook]))
}

/** Moves a room to another bot state; null if it already has that state, or is deleted. */
export async function setBotState(
  db: Db,
  { app, id }: { app: string; id: string },
  botState: string,
  session: Session,
): Promise<RoomDoc | null> {
  return db.rooms.findOneAndUpdate(
    { _id: key(app, id), botState: { $ne: botState }, deletedAt: { $exists: false } },
    { $set: { botState }, ...newVersion() },
    { ...after, session },
  )
}

/** Changes a room in a transaction, and returns the changed room. Deleting a direct room frees its pair. */
export async function updateRoomDoc(
  db: Db,
  room: RoomDoc,
  change: Partial<RoomDoc>,
  session: Session,
): Promise<RoomDoc> {
  const { deletedAt, name } = change
  const $set = { ...change, ...(name !== undefined && { names: nameFromWords(name) }) }
  const update = { $set, ...newVersion(), ...(deletedAt && { $unset: { pair: 1 as const, names: 1 as const } }) }
  if (Object.keys(change).length === 0) return room
  if (deletedAt && room.pair !== undefined) await freePairs(db, [room.pair], session)
  return (await db.rooms.findOneAndUpdate({ _id: room._id }, update, { ...after, session })) ?? room
}

/**
 * Advances the room's clock for a change of a message, in the transaction that writes the message. The new time is
 * later than all times assigned before, so that readers who page by `updatedAtMS` never miss a change.
 * @param count takes this many times, one millisecond apart, and returns the first
 */
export async function advanceRoomClock(db: Db, room: RoomDoc, session: Session, count = 1): Promise<number> {
  const firstMS = Math.max(clock.now(), room.clockMS + 1)
  await db.rooms.updateOne({ _id: room._id }, { $set: { clockMS: firstMS + count - 1 }, ...newVersion() }, { session })
  return firstMS
}
