import { hash } from 'node:crypto'
import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { sweepIndexes } from '../retention/sweeps.ts'
import type { ApiKeyDoc, AppDoc } from './documents.ts'

export const appIndexes: IndexDescription[] = [
  { key: { clientKey: 1 }, unique: true },
  { key: { 'apiKeys.digest': 1 }, unique: true },
  ...sweepIndexes,
]

/** Hexadecimal SHA-256, as keys and tokens are stored and looked up. */
export function digest(text: string): string {
  return hash('sha256', text, 'hex')
}

const open = { deletingSince: { $exists: false } }

export async function insertApp(db: Db, app: Omit<AppDoc, 'retention'>, session?: Session): Promise<void> {
  const createdMS = app.createdAt.getTime()
  const retention = { nextMS: createdMS, sweptMS: createdMS }
  await db.apps.insertOne({ ...app, retention }, { ...(session && { session }) })
}

export async function findApp(db: Db, app: string, session?: Session): Promise<AppDoc | null> {
  return db.apps.findOne({ _id: app }, { ...(session && { session }) })
}

/** The secrets that sign outgoing calls: the current one, and former ones that are still valid. */
export function signingSecrets({ webhookSecret, formerWebhookSecrets: former = [] }: AppDoc): string[] {
  const stillSigning = former.filter(({ untilMS }) => untilMS > clock.now())
  return [webhookSecret, ...stillSigning.map(({ secret }) => secret)]
}

/**
 * Stores the given Web Push key unless the app has one, and returns the app's key. Undefined if there is no such app.
 */
export async function keepWebPushKey(db: Db, app: string, made: string): Promise<string | undefined> {
  await db.apps.updateOne({ _id: app, ...open, webPushKey: { $exists: false } }, { $set: { webPushKey: made } })
  return (await findApp(db, app))?.webPushKey
}

/** Maximum number of former secrets that sign a call. */
const maxFormer = 4

/**
 * Gives an app a new webhook secret. The current secret keeps signing calls until `untilMS`, former ones until their
 * own expiry; if `untilMS` is in the past, all of them expire now. False if there is no such app.
 */
export async function changeWebhookSecret(
  db: Db,
  app: string,
  secret: string,
  untilMS: number,
  session: Session,
): Promise<boolean> {
  const before = { $slice: [{ $ifNull: ['$formerWebhookSecrets', []] }, maxFormer - 1] }
  const former = untilMS > clock.now() ? { $concatArrays: [[{ secret: '$webhookSecret', untilMS }], before] } : []
  const change = [{ $set: { webhookSecret: { $literal: secret }, formerWebhookSecrets: former } }]
  return (await db.apps.updateOne({ _id: app, ...open }, change, { session })).matchedCount === 1
}

export async function findApps(db: Db): Promise<AppDoc[]> {
  return db.apps.find().sort({ _id: 1 }).toArray()
}

/** Whether a key is neither revoked nor expired. */
export function isInForce({ revokedAt, expiresAt }: ApiKeyDoc): boolean {
  return !revokedAt && !(expiresAt && expiresAt.getTime() <= clock.now())
}

/** Adds a key. False if the app does not exist, or an active key already has the name. */
export async function insertApiKey(
  db: Db,
  app: string,
  apiKey: ApiKeyDoc & { name: string },
  session: Session,
): Promise<boolean> {
  const notExpired = { $or: [{ expiresAt: { $exists: false } }, { expiresAt: { $gt: clock.date() } }] }
  const sameName = { $elemMatch: { name: apiKey.name, revokedAt: { $exists: false }, ...notExpired } }
  const free = { _id: app, ...open, apiKeys: { $not: sameName } }
  return (await db.apps.updateOne(free, { $push: { apiKeys: apiKey } }, { session })).modifiedCount === 1
}

/** Deletes revoked or expired keys, by digest. */
export async function dropApiKeys(db: Db, app: string, digests: readonly string[], session: Session): Promise<void> {
  if (digests.length === 0) return
  await db.apps.updateOne({ _id: app }, { $pull: { apiKeys: { digest: { $in: digests } } } }, { session })
}

/** Revokes a key; false if it is already revoked. */
export async function revokeApiKeyDoc(db: Db, app: string, keyDigest: string, session: Session): Promise<boolean> {
  const active = { $elemMatch: { digest: keyDigest, revokedAt: { $exists: false } } }
  const update = { $set: { 'apiKeys.$.revokedAt': clock.date() } }
  return (await db.apps.updateOne({ _id: app, apiKeys: active }, update, { session })).modifiedCount === 1
}

/** Records the last use of a key. Not journaled: it is only a hint for operators. */
export async function recordApiKeyUse(db: Db, keyDigest: string, at: Date): Promise<void> {
  const used = { $max: { 'apiKeys.$.lastUsedAt': at } }
  await db.apps.updateOne({ 'apiKeys.digest': keyDigest }, used, { writeConcern: { w: 1, journal: false } })
}

/** All apps that are not being deleted: their IDs and creation times. */
export async function findOpenApps(db: Db): Promise<Pick<AppDoc, '_id' | 'createdAt'>[]> {
  return db.apps.find(open, { projection: { createdAt: 1 } }).toArray()
}

/** Whether there is an app that is not being deleted. */
export async function isOpenApp(db: Db, app: string): Promise<boolean> {
  return (await db.apps.findOne({ _id: app, ...open }, { projection: { _id: 1 } })) !== null
}

export async function findAppByClientKey(db: Db, clientKey: string): Promise<AppDoc | null> {
  return db.apps.findOne({ clientKey, ...open })
}

/** The app of an API key, by the key's digest, and the key; null if the key is unknown, revoked or expired. */
export async function findAppByApiKey(db: Db, wanted: string): Promise<{ app: AppDoc; key: ApiKeyDoc } | null> {
  const app = await db.apps.findOne({ 'apiKeys.digest': wanted, ...open })
  const found = app?.apiKeys.find((candidate) => candidate.digest === wanted && isInForce(candidate))
  return app && found ? { app, key: found } : null
}
