import type { OptionalPage } from '@parley/contracts/optional-page'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, key, keyRange } from '../keys.ts'
import type { PrefDoc } from './documents.ts'

export const prefIndexes: IndexDescription[] = [{ key: { userKey: 1 } }]

export async function findPrefs(
  db: Db,
  app: string,
  user: string,
  { skip, limit = 0 }: OptionalPage,
): Promise<PrefDoc[]> {
  return db.prefs
    .find({ _id: keyRange(key(app, user)) })
    .sort({ _id: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
}

export async function findPrefsOf(db: Db, { app, user }: AppUser, names: readonly string[]): Promise<PrefDoc[]> {
  if (names.length === 0) return []
  return db.prefs.find({ _id: { $in: names.map((name) => key(app, user, name)) } }).toArray()
}

export async function findPrefNames(db: Db, app: string, users: readonly string[]): Promise<Map<string, Set<string>>> {
  const names = new Map(users.map((user) => [key(app, user), new Set<string>()]))
  if (users.length === 0) return new Map()
  const fields = { projection: { _id: 0, userKey: 1, name: 1 } }
  const found = db.prefs.find({ userKey: { $in: [...names.keys()] } }, fields)
  for await (const { userKey, name } of found) names.get(userKey)?.add(name)
  return new Map(users.map((user) => [user, names.get(key(app, user)) ?? new Set()]))
}

/** The users among these with this value (JSON text) of the preference `name`. */
export async function findUsersWithPref(
  db: Db,
  app: string,
  users: readonly string[],
  { name, json }: Pick<PrefDoc, 'name' | 'json'>,
): Promise<Set<string>> {
  const byId = new Map(users.map((user) => [key(app, user, name), user]))
  const found = await db.prefs.find({ _id: { $in: [...byId.keys()] }, json }, { projection: { _id: 1 } }).toArray()
  return new Set(found.flatMap(({ _id }) => byId.get(_id) ?? []))
}

export async function savePref(
  db: Db,
  { app, user }: AppUser,
  name: string,
  json: string,
  session: Session,
): Promise<boolean> {
  const _id = key(app, user, name)
  const saved = await db.prefs.replaceOne({ _id }, { userKey: key(app, user), name, json }, { upsert: true, session })
  return saved.upsertedCount === 1
}

export async function countPrefs(db: Db, { app, user }: AppUser, max: number, session: Session): Promise<number> {
  return db.prefs.countDocuments({ userKey: key(app, user) }, { limit: max, session })
}

export async function deletePref(db: Db, { app, user }: AppUser, name: string, session: Session): Promise<boolean> {
  return (await db.prefs.deleteOne({ _id: key(app, user, name) }, { session })).deletedCount === 1
}

export async function deletePrefsOfUser(db: Db, app: string, user: string, session: Session): Promise<void> {
  await db.prefs.deleteMany({ userKey: key(app, user) }, { session })
}
