import type { ClientSession } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import { settleInTransaction } from '../sending/settle-tails.ts'
import { revStep } from './rev-step.ts'
import { moved, type RoomDoc } from './rooms.ts'

/**
 * Takes a room inside a transaction, as the first thing in it: what was sent to it before is in `messages` and counted
 * for the rest of the transaction, and what is sent after waits for its end. Null when there is none.
 */
export async function takeRoom(db: Db, app: string, id: string, session: ClientSession): Promise<RoomDoc | null> {
  const taken = { rev: { $add: [{ $ifNull: ['$rev', 0] }, revStep()] }, settledSeq: '$seq' }
  const of = { _id: key(app, id) }
  const room = await db.rooms.findOneAndUpdate(of, [{ $set: taken }], { session, returnDocument: 'after' })
  if (room) await settleInTransaction(db, room, session)
  return room
}

/** Makes concurrent sends to the rooms check permissions again, or wait when this is the first write of a transaction. */
export async function moveRooms(db: Db, keys: readonly string[], session: ClientSession): Promise<void> {
  await db.rooms.updateMany({ _id: { $in: [...keys] } }, moved(), { session })
}
