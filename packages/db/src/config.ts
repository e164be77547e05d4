import type { IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import { key } from './keys.ts'

/** One top-level key of an app's configuration. */
export interface ConfigDoc {
  /** key(app, name) */
  _id: string
  app: string
  /** Any string: `__proto__`, `$where` and `a.b` are values here, never names of fields. */
  name: string
  /** The value as JSON text. */
  json: string
}

export const configIndexes: IndexDescription[] = [{ key: { app: 1, name: 1 } }]

export async function findConfig(db: Db, app: string): Promise<ConfigDoc[]> {
  return db.config.find({ app }).sort({ name: 1 }).toArray()
}

/** What some apps have under one key; those without are left out. */
export async function findConfigValues(db: Db, apps: readonly string[], name: string): Promise<ConfigDoc[]> {
  return db.config.find({ _id: { $in: apps.map((app) => key(app, name)) } }).toArray()
}

export async function saveConfig(
  db: Db,
  app: string,
  entries: readonly { name: string; json: string }[],
): Promise<void> {
  if (entries.length === 0) return
  await db.config.bulkWrite(
    entries.map(({ name, json }) => ({
      replaceOne: { filter: { _id: key(app, name) }, replacement: { app, name, json }, upsert: true },
    })),
  )
}

/** Whether there was such a key. */
export async function removeConfig(db: Db, app: string, name: string): Promise<boolean> {
  return (await db.config.deleteOne({ _id: key(app, name) })).deletedCount === 1
}
