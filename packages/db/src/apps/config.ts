import { tokenIssuers, tokenIssuersKey } from '@parley/contracts/resources/token-issuer'
import { type IndexDescription, ObjectId } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { bumpConfigMark } from './config-mark.ts'
import type { ConfigDoc } from './documents.ts'

/** The version of an app's value under a key. */
export interface ConfigVersion {
  app: string
  version: string
}

export const configIndexes: IndexDescription[] = [{ key: { app: 1, name: 1 } }]

export async function findConfig(db: Db, app: string, session?: Session): Promise<ConfigDoc[]> {
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

export async function findConfigValue(
  db: Db,
  app: string,
  name: string,
  session?: Session,
): Promise<ConfigDoc | undefined> {
  return (await db.config.findOne({ _id: key(app, name) }, { ...(session && { session }) })) ?? undefined
}

/** The number of an app's keys, and the total bytes of keys and values, except for some keys. */
export async function configSize(
  db: Db,
  app: string,
  except: readonly string[],
): Promise<{ keys: number; bytes: number }> {
  const bytes = { $add: [{ $strLenBytes: '$name' }, { $strLenBytes: '$json' }] }
  const [size] = await db.config
    .aggregate<{ keys: number; bytes: number }>([
      { $match: { app, name: { $nin: [...except] } } },
      { $group: { _id: null, keys: { $sum: 1 }, bytes: { $sum: bytes } } },
    ])
    .toArray()
  return { keys: size?.keys ?? 0, bytes: size?.bytes ?? 0 }
}

/** Call in a transaction. Moves the configuration mark too, which makes what gateways know about the rooms stale. */
export async function saveConfig(
  db: Db,
  app: string,
  entries: readonly { name: string; json: string }[],
  session: Session,
): Promise<void> {
  if (entries.length === 0) return
  await bumpConfigMark(db, app, session)
  const version = new ObjectId().toHexString()
  const hasIssuers = entries.some(({ name }) => name === tokenIssuersKey)
  const before = hasIssuers ? await findConfigValue(db, app, tokenIssuersKey, session) : undefined
  const writes = entries.map(({ name, json }) => {
    const more = name === tokenIssuersKey && { issuers: withIds(json, before?.issuers) }
    const replacement = { ...{ app, name, json, version }, ...more }
    return { replaceOne: { filter: { _id: key(app, name) }, replacement, upsert: true } }
  })
  await db.config.bulkWrite(writes, { session })
}

/** The issuers of a value, which keep their IDs. */
function withIds(json: string, before: ConfigDoc['issuers'] = []): Required<ConfigDoc>['issuers'] {
  const ids = new Map(before.map(({ issuer, id }) => [issuer, id]))
  const issuers = tokenIssuers.safeParse(JSON.parse(json)).data ?? []
  return issuers.map(({ issuer }) => ({ issuer, id: ids.get(issuer) ?? new ObjectId().toHexString() }))
}

/** Call in a transaction, like saveConfig. Returns whether the key existed. */
export async function removeConfig(db: Db, app: string, name: string, session: Session): Promise<boolean> {
  await bumpConfigMark(db, app, session)
  const { deletedCount } = await db.config.deleteOne({ _id: key(app, name) }, { session })
  return deletedCount > 0
}
