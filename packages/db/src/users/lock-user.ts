import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import type { UserDoc } from './documents.ts'

/** A counter, since a repeated time could be a no-op write: MongoDB skips those, so they do not conflict. */
const taken = { $inc: { takes: 1 } }

/** Locks a user first in a transaction, which serializes writes of the user. Null for an unknown user or a group. */
export async function lockUser(db: Db, app: string, id: string, session: Session): Promise<UserDoc | null> {
  const of = { _id: key(app, id), groupMembers: { $exists: false } }
  return db.users.findOneAndUpdate(of, taken, { session, returnDocument: 'after' })
}

/** Locks users, `key(app, id)`, that the same transaction has read. */
export async function lockUsers(db: Db, users: readonly string[], session: Session): Promise<void> {
  if (users.length > 0) await db.users.updateMany({ _id: { $in: [...users] } }, taken, { session })
}
