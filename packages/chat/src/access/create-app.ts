import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { digest, insertApp } from '@parley/db/apps/apps'
import type { AppDoc } from '@parley/db/apps/documents'
import { inTransaction } from '@parley/db/transactions/transaction'
import { type Audited, newApiKey } from './api-keys.ts'

/** The keys of a new app, in clear text for the only time. */
export interface NewApp {
  app: string
  clientKey: string
  /** With the platform permission. */
  apiKey: string
  webhookSecret: string
}

/** Creates an app with new random keys. @throws if the ID is taken. */
export async function createApp({ db, audit }: Audited, app: string): Promise<NewApp> {
  const made = {
    app,
    clientKey: `ck_${randomBytes(24).toString('base64url')}`,
    apiKey: newApiKey(),
    webhookSecret: newWebhookSecret(),
  }
  const apiKey = {
    digest: digest(made.apiKey),
    name: 'first',
    permissions: ['platform' as const],
    createdAt: clock.date(),
  }
  await inTransaction(db, async (session) => {
    await insertApp(db, appDoc(made, [apiKey]), session)
    await audit?.write(db, session)
  })
  return made
}

/** In the format of the Standard Webhooks scheme. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

function appDoc(made: NewApp, apiKeys: AppDoc['apiKeys']): Omit<AppDoc, 'retention'> {
  const { app, clientKey, webhookSecret } = made
  return { _id: app, clientKey, apiKeys, webhookSecret, createdAt: clock.date() }
}
