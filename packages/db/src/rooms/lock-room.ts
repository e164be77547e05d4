import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { withoutBuffer } from '../room-buffer/buffer.ts'
import { flushInTransaction } from '../room-buffer/flush.ts'
import { StaleReadError } from '../transactions/transaction.ts'
import type { RoomDoc } from './documents.ts'
import { newVersion, versionStep } from './version.ts'

/** Locks a room first in a transaction. Earlier sends are flushed; later ones wait for its end. Null without a room. */
export async function lockRoom(db: Db, app: string, id: string, session: Session): Promise<RoomDoc | null> {
  const taken = { version: { $add: [{ $ifNull: ['$version', 0] }, versionStep()] }, flushedSeq: '$seq' }
  const of = { _id: key(app, id) }
  const room = await db.rooms.findOneAndUpdate(of, [{ $set: taken }], { session, returnDocument: 'after' })
  if (room) await flushInTransaction(db, room, session)
  return room
}

/** Locks a room like lockRoom, for changes that read no messages: earlier sends need not be flushed. */
export async function lockRoomWithoutFlush(db: Db, app: string, id: string, session: Session): Promise<RoomDoc | null> {
  const options = { session, returnDocument: 'after', projection: withoutBuffer } as const
  return db.rooms.findOneAndUpdate({ _id: key(app, id) }, newVersion(), options)
}

/**
 * Locks a room whose members and bans were read before the transaction. Messages may have been sent since.
 * @throws StaleReadError if its version has changed
 */
export async function lockReadRoom(db: Db, { _id, version }: RoomDoc, session: Session): Promise<RoomDoc> {
  const options = { session, returnDocument: 'after', projection: withoutBuffer } as const
  const room = await db.rooms.findOneAndUpdate({ _id, version: version ?? { $exists: false } }, newVersion(), options)
  if (!room) throw new StaleReadError('a room has changed since it was read')
  return room
}

/**
 * Makes concurrent sends to the rooms check again. As the first write of a transaction, makes them wait for its end.
 */
export async function bumpRoomVersions(db: Db, keys: readonly string[], session: Session): Promise<void> {
  await db.rooms.updateMany({ _id: { $in: [...keys] } }, newVersion(), { session })
}
