import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { type Control, nodesHeardWithinMS } from '@parley/bus/control/control'
import { purgeApp } from '@parley/bus/stream/erase-from-stream'
import {
  type DeletionProgress,
  deleteAppDoc,
  deleteAppDocs,
  deleteAppTokens,
  markAppDeleting,
} from '@parley/db/apps/app-deletion'
import { changeWebhookSecret, digest, insertApp } from '@parley/db/apps/apps'
import type { AppDoc } from '@parley/db/apps/documents'
import type { Db, Session } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import { type Audited, newApiKey } from './api-keys.ts'
import { rememberApiKeyMS } from './authenticate-api-key.ts'

/** The keys of a new app, in clear text for the only time. */
interface NewApp {
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
function newWebhookSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

function appDoc(made: NewApp, apiKeys: AppDoc['apiKeys']): Omit<AppDoc, 'retention'> {
  const { app, clientKey, webhookSecret } = made
  return { _id: app, clientKey, apiKeys, webhookSecret, createdAt: clock.date() }
}

/**
 * Gives an app a new webhook secret and returns it in clear text for the only time. The old secret stays valid for
 * `hours`, so that the integrator's server can switch at any time in between.
 * @throws Error if the app does not exist
 */
export async function rotateWebhookSecret({ db, audit }: Audited, app: string, hours: number): Promise<string> {
  const secret = newWebhookSecret()
  const isChanged = await inTransaction(db, async (session) => {
    const changed = await changeWebhookSecret(db, app, secret, clock.now() + hours * 3_600_000, session)
    audit?.addDetails({ after: { hours } })
    if (changed) await audit?.write(db, session)
    return changed
  })
  if (!isChanged) {
    throw new Error(`there is no app ${JSON.stringify(app)}`)
  }
  return secret
}

/** After two attempts a dying node no longer announces itself and is skipped. */
const orderTries = 3
/**
 * Longer than any request that began before the keys were revoked, including its work after the response: a send
 * retries for at most 10 s and is flushed a second later.
 */
const inFlightMS = 15_000

export interface DeleteAppParts {
  db: Db
  bus: Bus
  /** May be new: the deletion waits until it knows the realtime nodes. */
  control: Control
  /** Prints a line for the operator. */
  say: (line: string) => void
  onProgress: DeletionProgress
  /** Writes more in the first transaction. */
  also?: (session: Session) => Promise<void>
  /** For tests: settles when no earlier request writes any more. */
  inFlightIsOver?: () => Promise<unknown>
}

/**
 * Deletes an app: revokes its keys and tokens, disconnects its sockets on every node, purges it from the streams, then
 * deletes its documents, the app document last. Safe to repeat after a failure or a kill at any point. Repeated after
 * the app document is gone, it removes late writes of a stalled process.
 * @throws if a realtime node or a gateway does not confirm, or a server is away
 */
export async function deleteApp(parts: DeleteAppParts, app: string): Promise<void> {
  const { db, bus, control, say, onProgress, also, inFlightIsOver = () => pause(inFlightMS) } = parts
  await inTransaction(db, async (session) => {
    await markAppDeleting(db, app, session)
    await also?.(session)
  })
  await pause(Math.max(rememberApiKeyMS, nodesHeardWithinMS))
  // No gateway accepts an API key now, so none can issue another token.
  await deleteAppTokens(db, app)
  await notifyAll(control, app)
  say('its client key, API keys and tokens are refused everywhere, and its sockets are closed')
  await purgeApp(bus, app)
  // Requests in flight when the keys were revoked may have written after a pass.
  do {
    while ((await deleteAppDocs(db, app, onProgress)) > 0) await purgeApp(bus, app)
    say('all of its data is deleted; checking again in a few seconds, once requests in flight are over')
    await inFlightIsOver()
    await purgeApp(bus, app)
  } while ((await deleteAppDocs(db, app, onProgress)) > 0)
  await deleteAppDoc(db, app)
}

async function notifyAll(control: Control, app: string): Promise<void> {
  const id = newId()
  let silent: string[] = []
  for (let n = 0; n < orderTries; n++) {
    ;({ silent } = await control.send(app, { do: 'appDeleted', id }))
    if (silent.length === 0) return
  }
  throw new Error(
    `the nodes ${silent.join(', ')} did not confirm that its tokens are refused and its sockets closed: run this again`,
  )
}
