import { createHash } from 'node:crypto'
import type { IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'

/** An integrator's application: everything belongs to one. */
export interface AppDoc {
  /** appID */
  _id: string
  clientKey: string
  apiKeys: ApiKeyDoc[]
  /** Signs outgoing webhooks (Standard Webhooks, `whsec_…`). */
  webhookSecret: string
  createdAt: Date
}

export interface ApiKeyDoc {
  /** SHA-256 of the key, hexadecimal: the key itself is stored nowhere. */
  digest: string
  permissions: ApiPermission[]
  createdAt: Date
}

export type ApiPermission = 'platform'

export const appIndexes: IndexDescription[] = [
  { key: { clientKey: 1 }, unique: true },
  { key: { 'apiKeys.digest': 1 }, unique: true },
]

/** The form in which keys and tokens are stored and looked up: SHA-256, hexadecimal. */
export function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

export async function insertApp(db: Db, app: AppDoc): Promise<void> {
  await db.apps.insertOne(app)
}

export async function findApp(db: Db, app: string): Promise<AppDoc | null> {
  return db.apps.findOne({ _id: app })
}

export async function findAppIds(db: Db): Promise<string[]> {
  const apps = await db.apps.find({}, { projection: { _id: 1 } }).toArray()
  return apps.map(({ _id }) => _id)
}

export async function findAppByClientKey(db: Db, clientKey: string): Promise<AppDoc | null> {
  return db.apps.findOne({ clientKey })
}

/** The app that an API key opens, and the key's permissions. */
export async function findAppByApiKey(db: Db, apiKey: string): Promise<{ app: AppDoc; key: ApiKeyDoc } | null> {
  const wanted = digest(apiKey)
  const app = await db.apps.findOne({ 'apiKeys.digest': wanted })
  const found = app?.apiKeys.find((candidate) => candidate.digest === wanted)
  return app && found ? { app, key: found } : null
}
