import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'

/** One personal preference of a user. */
export interface PrefDoc {
  /** key(app, user, name) */
  _id: string
  userKey: string
  name: string
  /** The value as JSON text. */
  json: string
}

export const prefIndexes: IndexDescription[] = [{ key: { userKey: 1 } }]

export async function findPrefs(db: Db, app: string, user: string): Promise<PrefDoc[]> {
  return db.prefs.find({ userKey: key(app, user) }).toArray()
}

export async function savePref(db: Db, app: string, user: string, name: string, json: string): Promise<void> {
  const _id = key(app, user, name)
  await db.prefs.replaceOne({ _id }, { userKey: key(app, user), name, json }, { upsert: true })
}

/** Whether there was such a preference. */
export async function deletePref(db: Db, app: string, user: string, name: string): Promise<boolean> {
  return (await db.prefs.deleteOne({ _id: key(app, user, name) })).deletedCount === 1
}

export async function deletePrefsOfUser(db: Db, app: string, user: string, session: ClientSession): Promise<void> {
  await db.prefs.deleteMany({ userKey: key(app, user) }, { session })
}
