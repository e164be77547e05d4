import type { Collection, IndexDescription } from 'mongodb'
import { claimDocs } from '../claim-docs.ts'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { beyond, type PagePlace } from '../page-place.ts'
import type { Session } from '../transactions/transaction.ts'
import type { SavedMessageDoc } from './documents.ts'

export const bookmarkIndexes: IndexDescription[] = [{ key: { userKey: 1, atMS: 1, message: 1 } }]
export const reminderIndexes: IndexDescription[] = [
  { key: { userKey: 1, atMS: 1, message: 1 } },
  { key: { nextMS: 1 }, partialFilterExpression: { nextMS: { $exists: true } } },
]

/** Longer than the transaction takes that notes the events of a reminder. */
const leaseMS = 15_000

/** The lists of messages that a user keeps. */
export type SavedIn = 'bookmarks' | 'reminders'

interface OfUser {
  app: string
  user: string
}

/** Saves a message, in the place of an earlier one. */
export async function putSaved(db: Db, list: SavedIn, saved: SavedMessageDoc, session: Session): Promise<void> {
  const { _id, ...rest } = saved
  await db[list].replaceOne({ _id }, rest, { upsert: true, session })
}

export async function findSaved(
  db: Db,
  list: SavedIn,
  { app, user }: OfUser,
  message: string,
  session: Session,
): Promise<SavedMessageDoc | null> {
  return db[list].findOne({ _id: key(app, user, message) }, { session })
}

/** The messages that a user keeps, counted up to `most`. */
export async function countSaved(
  db: Db,
  list: SavedIn,
  { app, user }: OfUser,
  most: number,
  session: Session,
): Promise<number> {
  return db[list].countDocuments({ userKey: key(app, user) }, { limit: most, session })
}

/** A page of bookmarks, the newest first, or of reminders, the next first. */
export async function findSavedPage(
  db: Db,
  list: SavedIn,
  { app, user }: OfUser,
  { after, limit }: { after?: PagePlace | undefined; limit: number },
): Promise<SavedMessageDoc[]> {
  const order = list === 'bookmarks' ? -1 : 1
  return db[list]
    .find({ userKey: key(app, user), ...beyond(after, { time: 'atMS', id: 'message', order }) })
    .sort({ atMS: order, message: order })
    .limit(limit)
    .toArray()
}

/** Removes messages from a list, as they were read; returns how many there were. */
export async function removeSaved(db: Db, list: SavedIn, ids: readonly string[]): Promise<number> {
  return ids.length === 0 ? 0 : (await db[list].deleteMany({ _id: { $in: [...ids] } })).deletedCount
}

/** Removes all that a user keeps. */
export async function removeSavedOf(db: Db, { app, user }: OfUser): Promise<void> {
  const lists: Collection<SavedMessageDoc>[] = [db.bookmarks, db.reminders]
  for (const list of lists) await list.deleteMany({ userKey: key(app, user) })
}

/** Leases due reminders: no other process gets them until the lease has ended. */
export async function claimReminders(db: Db, claim: string, limit: number): Promise<SavedMessageDoc[]> {
  return claimDocs(db.reminders, { claim, limit, leaseMS })
}

/** Removes a leased reminder; returns whether it was still there, at its time. */
export async function removeReminder(db: Db, { _id, claim = '' }: SavedMessageDoc, session: Session): Promise<boolean> {
  return (await db.reminders.deleteOne({ _id, claim }, { session })).deletedCount === 1
}
