import { randomUUID } from 'node:crypto'
import { runAlone } from '@parley/async/alone'
import type { Db } from '@parley/db/connect'
import { ImportConflict } from '@parley/db/import/imported-rooms'
import { endImports, renewImports, takeImports } from '@parley/db/import/importing'

/**
 * Runs an import under the app's import lease, since a second import would remove unfinished writes of the first.
 * @param work awaits its argument before each write: see runAlone
 * @throws ImportConflict if another import is running
 */
export async function importAlone<T>(
  db: Db,
  app: string,
  work: (requireAlone: () => Promise<void>) => Promise<T>,
  leaseMS?: number,
): Promise<T> {
  const by = randomUUID()
  const lease = {
    take: async (ms: number) => (await takeImports(db, app, by, ms))?.until.getTime(),
    renew: (ms: number) => renewImports(db, app, by, ms),
    end: () => endImports(db, app, by),
    busy: () => new ImportConflict('another import into the app is running; run this one when it has ended'),
    lost: () => new Error('the import stalled and another import took its lease; run it again'),
  }
  return runAlone(lease, work, leaseMS)
}
