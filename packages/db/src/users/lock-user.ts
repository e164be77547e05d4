import type { ClientSession } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { UserDoc } from './users.ts'

/** Unlike a time, it is another value with each write: MongoDB writes nothing where a value stays, and nothing conflicts. */
const taken = { $inc: { takes: 1 } }

/**
 * Takes a user inside a transaction, as the first thing in it: whatever else writes the user at the same time, as a ban and an
 * erasure do, comes before it or after it. Null when there is none, and for the ID of a user group.
 */
export async function lockUser(db: Db, app: string, id: string, session: ClientSession): Promise<UserDoc | null> {
  const of = { _id: key(app, id), groupMembers: { $exists: false } }
  return db.users.findOneAndUpdate(of, taken, { session, returnDocument: 'after' })
}

/** Takes users, `key(app, id)`, who were read in the same transaction. */
export async function takeUsers(db: Db, users: readonly string[], session: ClientSession): Promise<void> {
  if (users.length > 0) await db.users.updateMany({ _id: { $in: [...users] } }, taken, { session })
}
