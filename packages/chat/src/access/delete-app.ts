import { setTimeout as pause } from 'node:timers/promises'
import type { Bus } from '@parley/bus/connect'
import { type Control, nodesHeardWithinMS } from '@parley/bus/control/control'
import { purgeApp } from '@parley/bus/stream/purge-app'
import {
  type DeletionProgress,
  deleteAppDoc,
  deleteAppDocs,
  deleteAppTokens,
  markAppDeleting,
} from '@parley/db/apps/app-deletion'
import type { Db } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { rememberApiKeyMS } from './authenticate-api-key.ts'

/** A dying node is skipped after two attempts: it no longer announces itself. */
const orderTries = 3
/**
 * Longer than any request from before the keys ended, with the work after its response: a send retries for at most 10 s, and is
 * flushed a second later.
 */
const inFlightMS = 15_000

export interface DeleteAppParts {
  db: Db
  bus: Bus
  /** Can be new: the deletion waits until it knows the realtime nodes. */
  control: Control
  /** A line for the operator. */
  say: (line: string) => void
  onProgress: DeletionProgress
  /** For tests: resolves when no earlier request writes any more. */
  inFlightIsOver?: () => Promise<unknown>
}

/**
 * Deletes an app: ends its keys and tokens, disconnects its sockets on every node, purges it from the stream, then
 * deletes its documents, the app's own last. Safe to repeat after a failure or a kill at any point, and for an app
 * whose own document is gone: it then removes late writes of a process that had stalled.
 * @throws when a realtime node or a gateway does not confirm it, or a server is away
 */
export async function deleteApp(parts: DeleteAppParts, app: string): Promise<void> {
  const { db, bus, control, say, onProgress, inFlightIsOver = () => pause(inFlightMS) } = parts
  await markAppDeleting(db, app)
  await pause(Math.max(rememberApiKeyMS, nodesHeardWithinMS))
  // No gateway accepts an API key any more that could issue another.
  await deleteAppTokens(db, app)
  await notifyAll(control, app)
  say('its client key, API keys and tokens are refused everywhere, and its sockets are closed')
  await purgeApp(bus, app)
  // Requests in flight when the keys ended may have written after a pass.
  do {
    while ((await deleteAppDocs(db, app, onProgress)) > 0) await purgeApp(bus, app)
    say('nothing of it is left; looking once more in some seconds, when all that was in flight is over')
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
