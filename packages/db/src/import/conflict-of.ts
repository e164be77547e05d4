import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/messages.ts'
import { settleRooms } from '../sending/settle-tails.ts'
import { isDuplicateKey } from '../transactions/transaction.ts'
import { ImportConflict } from './imported-rooms.ts'
import { firstOfOthers, removeUnreached, removeUnreachedOfThreads } from './unreached.ts'

/**
 * What writing messages has failed for, when others sent there: removes those that were not reached.
 * @returns an ImportConflict that names the rooms, or the error itself
 */
export async function conflictOf(db: Db, error: unknown, messages: readonly MessageDoc[]): Promise<unknown> {
  // After any other error a write may still arrive.
  if (!(error instanceof ImportConflict) && !isDuplicateKey(error)) return error
  const roots = new Set(messages.flatMap(({ threadOf }) => threadOf ?? []))
  const roomKeys = new Set(messages.map(({ app, room }) => key(app, room)))
  await removeUnreached(db, [...roomKeys])
  await settleRooms(db, [...roomKeys])
  await removeUnreachedOfThreads(db, [...roots])
  const stretches = [...Map.groupBy(messages, ({ roomKey }) => roomKey)].map(([roomKey, some]) => {
    const seqs = some.map(({ seq }) => seq)
    return { roomKey, seq: { $gte: Math.min(...seqs), $lte: Math.max(...seqs) }, _id: { $gte: firstOfOthers } }
  })
  const rooms = await db.messages.distinct('room', { $or: stretches })
  if (rooms.length === 0) return error
  const names = rooms.map((room) => JSON.stringify(room)).join(', ')
  return new ImportConflict(`the room ${names} got messages of others while it was imported`)
}
