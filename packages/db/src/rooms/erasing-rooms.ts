import { clock } from '@parley/async/clock'
import { changeFirst } from '../claim-docs.ts'
import type { Db, Session } from '../db.ts'
import { idsOf } from '../keys.ts'
import { withoutBuffer } from '../room-buffer/buffer.ts'
import type { Erasing, RoomDoc } from './documents.ts'
import { newVersion } from './version.ts'

export async function findDeletedRooms(db: Db, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const deleted = { _id: { $in: [...keys] }, deletedAt: { $exists: true } }
  const rooms = await db.rooms.find(deleted, { projection: { _id: 1 } }).toArray()
  return new Set(idsOf(rooms))
}

/** Marks every message of the room and its threads as deleted for all, and records the pending erasure. */
export async function markAllDeleted(db: Db, room: RoomDoc, erasing: Erasing, session: Session): Promise<void> {
  const deleted = { deletedUpToSeq: room.seq, deletedUpToMS: room.clockMS, erasing }
  await db.rooms.updateOne({ _id: room._id }, { $set: deleted, ...newVersion() }, { session })
}

/** Leases a room with a pending erasure; null if there is none. */
export async function leaseErasing(db: Db, leaseMS: number): Promise<RoomDoc | null> {
  const now = clock.now()
  return changeFirst(
    db.rooms,
    { erasing: { $exists: true }, 'erasing.leaseUntilMS': { $lte: now } },
    { $set: { 'erasing.leaseUntilMS': now + leaseMS } },
    { projection: withoutBuffer, hint: { 'erasing.leaseUntilMS': 1 } },
  )
}

/** Records the progress of an erasure, or its end (null). */
export async function setErasing(db: Db, room: string, erasing: Erasing | null, session: Session): Promise<void> {
  const update = erasing ? { $set: { erasing } } : { $unset: { erasing: 1 as const } }
  await db.rooms.updateOne({ _id: room }, update, { session })
}

/** Records that the bus has the event of a deletion of all messages. */
export async function markErasingPublished(db: Db, room: string, deletion: string): Promise<void> {
  await db.rooms.updateOne({ _id: room, 'erasing.unpublished': deletion }, { $unset: { 'erasing.unpublished': 1 } })
}
