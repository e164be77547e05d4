import type { Filter, FindCursor, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import type { MessageDoc } from './documents.ts'

/** Covers messages with an expiry; stubs have none. */
export const expiringMessageIndexes: IndexDescription[] = [
  { key: { expiresAtMS: 1 }, partialFilterExpression: { expiresAtMS: { $exists: true } } },
]

export type ExpiredMessage = Pick<MessageDoc, '_id' | 'app' | 'room'>

/** The flushed messages that are due to expire, longest overdue first. */
export function findExpired(db: Db, atMS: number, limit: number): Promise<ExpiredMessage[]> {
  return expiredMessages(db, atMS, limit).toArray()
}

export function expiredMessages(db: Db, atMS: number, limit: number): FindCursor<ExpiredMessage> {
  return db.messages
    .find(expiredAt(atMS))
    .hint({ expiresAtMS: 1 })
    .project<ExpiredMessage>({ app: 1, room: 1 })
    .sort({ expiresAtMS: 1 })
    .limit(limit)
}

/** The messages among these that are still due to expire, so not yet stubs. */
export async function findStillExpired(
  db: Db,
  ids: readonly string[],
  atMS: number,
  session?: Session,
): Promise<MessageDoc[]> {
  return db.messages.find({ _id: { $in: [...ids] }, ...expiredAt(atMS) }, { ...(session && { session }) }).toArray()
}

function expiredAt(atMS: number): Filter<MessageDoc> {
  return { expiresAtMS: { $exists: true, $lte: atMS } }
}
