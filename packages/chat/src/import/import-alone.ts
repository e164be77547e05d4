import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { runEvery } from '@parley/async/run-every'
import type { Db } from '@parley/db/connect'
import { endImports, renewImports, takeImports } from '@parley/db/import/import-lease'
import { ImportConflict } from '@parley/db/import/imported-rooms'

/** A killed import keeps others waiting this long. */
const leaseMS = 10_000
const renewEveryMS = 2_000

/**
 * Runs the work of an import under the app's import lease: a second import would remove unfinished writes of the first.
 * @param work calls its argument before each write
 * @throws ImportConflict if another import is running
 */
export async function importAlone<T>(db: Db, app: string, work: (requireAlone: () => void) => Promise<T>): Promise<T> {
  const by = randomUUID()
  let heldAtMS = await take(db, app, by)
  const ended = new AbortController()
  const renew = async () => {
    const nowMS = performance.now()
    if (await renewImports(db, app, by, leaseMS)) heldAtMS = nowMS
  }
  // A failed renewal is followed by another; without any for the length of the lease, the work stops.
  const renewing = runEvery(renewEveryMS, renew, { onError: () => undefined, signal: ended.signal })
  try {
    return await work(() => {
      if (performance.now() > heldAtMS + leaseMS) throw new Error('the import stood still; run it again')
    })
  } finally {
    ended.abort()
    await renewing
    await endImports(db, app, by)
  }
}

/** Waits for a killed import, since its lease is not renewed. @returns since when it is held @throws ImportConflict */
async function take(db: Db, app: string, by: string): Promise<number> {
  let before: number | undefined
  for (;;) {
    const nowMS = performance.now()
    const other = await takeImports(db, app, by, leaseMS)
    if (!other) return nowMS
    const until = other.until.getTime()
    if (before !== undefined && until !== before) {
      throw new ImportConflict('another import into the app is at work; run this one when it has ended')
    }
    before = until
    await pause(500)
  }
}
