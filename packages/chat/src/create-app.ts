import { randomBytes } from 'node:crypto'
import { type AppDoc, digest, insertApp } from '@parley/db/apps'
import type { Db } from '@parley/db/connect'

/** The keys of a new app, in clear: the only time that they can be read. */
export interface NewApp {
  app: string
  clientKey: string
  /** With the platform permission. */
  apiKey: string
  webhookSecret: string
}

/** Makes an app with new random keys. @throws when the ID is taken. */
export async function createApp(db: Db, app: string): Promise<NewApp> {
  const secret = (prefix: string) => `${prefix}_${randomBytes(24).toString('base64url')}`
  const made = {
    app,
    clientKey: secret('ck'),
    apiKey: secret('ak'),
    webhookSecret: `whsec_${randomBytes(24).toString('base64')}`,
  }
  await insertApp(db, appDoc(made, [{ digest: digest(made.apiKey), permissions: ['platform'], createdAt: new Date() }]))
  return made
}

function appDoc(made: NewApp, apiKeys: AppDoc['apiKeys']): AppDoc {
  const { app, clientKey, webhookSecret } = made
  return { _id: app, clientKey, apiKeys, webhookSecret, createdAt: new Date() }
}
