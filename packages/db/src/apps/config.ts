import { type ClientSession, type IndexDescription, ObjectId } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { inTransaction } from '../transactions/transaction.ts'
import { configMarkKey, moveConfigMark } from './config-mark.ts'
import type { ConfigDoc } from './documents.ts'

/** The version of an app's value under a key. */
export interface ConfigVersion {
  app: string
  version: string
}

export const configIndexes: IndexDescription[] = [{ key: { app: 1, name: 1 } }]

export async function findConfig(db: Db, app: string, session?: ClientSession): Promise<ConfigDoc[]> {
  return db.config
    .find({ app }, { ...(session && { session }) })
    .sort({ name: 1 })
    .toArray()
}

/** The fields of a ConfigVersion in a ConfigDoc. */
export const configVersionFields = { _id: 0, app: 1, version: 1 as const }

/** The versions of a config key in several apps; apps without a value are omitted. */
export async function findConfigVersions(db: Db, apps: readonly string[], name: string): Promise<ConfigVersion[]> {
  return db.config
    .find({ _id: { $in: apps.map((app) => key(app, name)) } })
    .project<ConfigVersion>(configVersionFields)
    .toArray()
}

/** An app's value under a key, as JSON text, and its version. */
export async function findConfigValue(
  db: Db,
  app: string,
  name: string,
): Promise<{ json: string; version: string } | undefined> {
  const found = await db.config.findOne({ _id: key(app, name) })
  return found ? { json: found.json, version: found.version } : undefined
}

/** The total bytes of an app's values, except those under some keys. */
export async function configBytes(db: Db, app: string, except: readonly string[]): Promise<number> {
  const [sum] = await db.config
    .aggregate<{ bytes: number }>([
      { $match: { app, name: { $nin: [...except] } } },
      { $group: { _id: null, bytes: { $sum: { $strLenBytes: '$json' } } } },
    ])
    .toArray()
  return sum?.bytes ?? 0
}

/** Further reads and writes in the transaction of a change, before it. */
type Also = (session: ClientSession) => Promise<void>
const nothingElse: Also = async () => undefined

export async function saveConfig(
  db: Db,
  app: string,
  entries: readonly { name: string; json: string }[],
  also: Also = nothingElse,
): Promise<void> {
  if (entries.length === 0) return
  const version = new ObjectId().toHexString()
  const writes = entries.map(({ name, json }) => ({
    replaceOne: { filter: { _id: key(app, name) }, replacement: { app, name, json, version }, upsert: true },
  }))
  await changeConfig(db, app, async (session) => {
    await also(session)
    await db.config.bulkWrite(writes, { session })
  })
}

/** Returns whether the key existed. */
export async function removeConfig(db: Db, app: string, name: string, also: Also = nothingElse): Promise<boolean> {
  return changeConfig(db, app, async (session) => {
    if (!(await db.config.findOne({ _id: key(app, name) }, { session }))) return false
    await also(session)
    await db.config.deleteOne({ _id: key(app, name) }, { session })
    return true
  })
}

/** Moves the configuration mark too, which invalidates every gateway's cache. */
function changeConfig<T>(db: Db, app: string, change: (session: ClientSession) => Promise<T>): Promise<T> {
  const work = async (session: ClientSession) => {
    await moveConfigMark(db, app, session)
    return change(session)
  }
  return inTransaction(db, work, { turn: configMarkKey(app) })
}
