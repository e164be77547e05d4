import type { Collection, IndexDescription } from 'mongodb'
import { claimDocs } from '../claim-docs.ts'
import type { Db, Session } from '../db.ts'
import { findPage, type PagePosition } from '../find-page.ts'
import { type AppUser, key } from '../keys.ts'
import type { SavedMessageDoc } from './documents.ts'

export const bookmarkIndexes: IndexDescription[] = [{ key: { userKey: 1, atMS: 1, message: 1 } }]
export const reminderIndexes: IndexDescription[] = [
  { key: { userKey: 1, atMS: 1, message: 1 } },
  { key: { nextMS: 1 }, partialFilterExpression: { nextMS: { $exists: true } } },
]

/** Longer than the transaction that writes a reminder's events takes. */
const leaseMS = 15_000

export type SavedIn = 'bookmarks' | 'reminders'

/** Saves a message, replacing an earlier entry for it. */
export async function putSaved(db: Db, list: SavedIn, saved: SavedMessageDoc, session: Session): Promise<void> {
  const { _id, ...rest } = saved
  await db[list].replaceOne({ _id }, rest, { upsert: true, session })
}

/** Saves messages, except those that are already in the list. */
export async function insertSaved(
  db: Db,
  list: SavedIn,
  saved: readonly SavedMessageDoc[],
  session: Session,
): Promise<void> {
  const upserts = saved.map(({ _id, ...rest }) => ({
    updateOne: { filter: { _id }, update: { $setOnInsert: rest }, upsert: true },
  }))
  if (upserts.length > 0) await db[list].bulkWrite(upserts, { session, ordered: false })
}

export async function findSaved(
  db: Db,
  list: SavedIn,
  { app, user }: AppUser,
  message: string,
  session: Session,
): Promise<SavedMessageDoc | null> {
  return db[list].findOne({ _id: key(app, user, message) }, { session })
}

export async function countSaved(
  db: Db,
  list: SavedIn,
  { app, user }: AppUser,
  max: number,
  session: Session,
): Promise<number> {
  return db[list].countDocuments({ userKey: key(app, user) }, { limit: max, session })
}

/** A page of bookmarks, newest first, or of reminders, next due first. */
export async function findSavedPage(
  db: Db,
  list: SavedIn,
  { app, user }: AppUser,
  { after, limit }: { after?: PagePosition | undefined; limit: number },
): Promise<SavedMessageDoc[]> {
  const order = list === 'bookmarks' ? -1 : 1
  return findPage(db[list], { userKey: key(app, user) }, { time: 'atMS', id: 'message', order }, { after, limit })
}

/** Removes entries from a list by `_id`, and returns how many existed. */
export async function removeSaved(db: Db, list: SavedIn, ids: readonly string[]): Promise<number> {
  return ids.length === 0 ? 0 : (await db[list].deleteMany({ _id: { $in: [...ids] } })).deletedCount
}

export async function removeSavedOf(db: Db, { app, user }: AppUser): Promise<void> {
  const lists: Collection<SavedMessageDoc>[] = [db.bookmarks, db.reminders]
  for (const list of lists) await list.deleteMany({ userKey: key(app, user) })
}

/** Leases due reminders. No other process can claim them until the lease expires. */
export async function claimReminders(db: Db, claim: string, limit: number): Promise<SavedMessageDoc[]> {
  return claimDocs(db.reminders, { claim, limit, leaseMS })
}

/** Removes a leased reminder; false if it was removed, changed or claimed again meanwhile. */
export async function removeReminder(db: Db, { _id, claim = '' }: SavedMessageDoc, session: Session): Promise<boolean> {
  return (await db.reminders.deleteOne({ _id, claim }, { session })).deletedCount === 1
}
