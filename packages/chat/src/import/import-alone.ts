import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { runEvery } from '@parley/async/run-every'
import type { Db } from '@parley/db/connect'
import { ImportConflict } from '@parley/db/import/imported-rooms'
import { endImports, renewImports, takeImports } from '@parley/db/import/importing'

/** How long a killed import blocks others. */
const tenSeconds = 10_000
/** Renewals per lease. */
const renewals = 5

/**
 * Runs an import under the app's import lease, since a second import would remove unfinished writes of the first.
 * @param work awaits its argument before each write, which fails if the lease has expired and another import has taken
 * it
 * @throws ImportConflict if another import is running
 */
export async function importAlone<T>(
  db: Db,
  app: string,
  work: (requireAlone: () => Promise<void>) => Promise<T>,
  leaseMS = tenSeconds,
): Promise<T> {
  const by = randomUUID()
  let heldAtMS = await take(db, app, { by, leaseMS })
  const ended = new AbortController()
  const renew = async () => {
    const nowMS = performance.now()
    if (await renewImports(db, app, by, leaseMS)) heldAtMS = nowMS
  }
  // A failed renewal is retried. The work continues only under a valid lease.
  const renewing = runEvery(leaseMS / renewals, renew, { onError: () => undefined, signal: ended.signal })
  const isHeld = () => performance.now() <= heldAtMS + leaseMS
  try {
    return await work(async () => {
      // On a busy machine the lease may expire, but it is lost only if another import has taken it.
      if (!isHeld()) await renew()
      if (!isHeld()) throw new Error('the import stalled and another import took its lease; run it again')
    })
  } finally {
    ended.abort()
    await renewing
    await endImports(db, app, by)
  }
}

/**
 * Takes the lease. Waits for that of a killed import to expire, which shows as a lease that is not renewed. @returns
 * since when it is held @throws ImportConflict
 */
async function take(db: Db, app: string, { by, leaseMS }: { by: string; leaseMS: number }): Promise<number> {
  let before: number | undefined
  for (;;) {
    const nowMS = performance.now()
    const other = await takeImports(db, app, by, leaseMS)
    if (!other) return nowMS
    const until = other.until.getTime()
    if (before !== undefined && until !== before) {
      throw new ImportConflict('another import into the app is running; run this one when it has ended')
    }
    before = until
    await pause(500)
  }
}
