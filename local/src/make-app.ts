import { randomBytes } from 'node:crypto'
import { digest, insertApp } from '@parley/db/apps/apps'
import { connectDb, usingDb } from '@parley/db/connect'
import { migrate, migrateTimeoutMS } from '@parley/db/migrate'

export interface DemoKeys {
  app: string
  clientKey: string
  /** With the platform permission. */
  apiKey: string
  /** Without it. */
  basicKey: string
}

/** Creates an app directly in a database that may be empty, for tests and benchmarks. Keys are random unless given. */
export async function makeApp(mongoUrl: string, app: string, given: Partial<DemoKeys> = {}): Promise<DemoKeys> {
  const random = (prefix: string) => `${prefix}_${randomBytes(24).toString('base64url')}`
  const keys = { app, clientKey: random('ck'), apiKey: random('ak'), basicKey: random('bk'), ...given }
  await usingDb(connectDb(mongoUrl, { appName: 'parley-make-app', timeoutMS: migrateTimeoutMS }), async (db) => {
    await migrate(db)
    const createdAt = new Date()
    await insertApp(db, {
      _id: app,
      clientKey: keys.clientKey,
      apiKeys: [
        { digest: digest(keys.apiKey), permissions: ['platform'], createdAt },
        { digest: digest(keys.basicKey), permissions: [], createdAt },
      ],
      webhookSecret: `whsec_${Buffer.from(`of ${app}, not a secret`).toString('base64')}`,
      createdAt,
    })
  })
  return keys
}
