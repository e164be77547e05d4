import type { Db, Session } from '../db.ts'
import { withoutBuffer } from '../room-buffer/buffer.ts'
import type { RoomDoc } from './documents.ts'
import { findRoomsByKey } from './rooms.ts'

/** @throws a duplicate key error if the ID or the pair of a direct room is taken. */
export async function insertRooms(db: Db, rooms: readonly RoomDoc[], session: Session): Promise<void> {
  const pairs = rooms.flatMap(({ _id, pair }) => (pair === undefined ? [] : [{ _id: pair, roomKey: _id }]))
  if (pairs.length > 0) await db.directRooms.insertMany(pairs, { session })
  await db.rooms.insertMany([...rooms], { session })
}

export async function findRoomsByKeyOrPair(
  db: Db,
  { keys, pairs }: { keys: readonly string[]; pairs: readonly string[] },
  session?: Session,
): Promise<RoomDoc[]> {
  const options = { projection: { roomKey: 1 }, ...(session && { session }) }
  const direct = pairs.length === 0 ? [] : await db.directRooms.find({ _id: { $in: [...pairs] } }, options).toArray()
  return findRoomsByKey(db, [...new Set([...keys, ...direct.map(({ roomKey }) => roomKey)])], session)
}

export async function findDirectRoom(db: Db, pair: string, session: Session): Promise<RoomDoc | null> {
  const direct = await db.directRooms.findOne({ _id: pair }, { session })
  if (!direct) return null
  // Match the pair too: it may have been freed between the two reads.
  return db.rooms.findOne({ _id: direct.roomKey, pair }, { projection: withoutBuffer, session })
}
