import { setTimeout as pause } from 'node:timers/promises'
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
import type { Db, Session } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import { rememberApiKeyMS } from './authenticate-api-key.ts'

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
