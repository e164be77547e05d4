import { type ClientSession, MongoServerError } from 'mongodb'
import type { Db } from './connect.ts'

export type Session = ClientSession

const duplicateKey = 11_000
const runsOnDuplicateKey = 4

/**
 * Runs `work` in one transaction on a snapshot, committed journaled on a majority. On a conflict with
 * another writer it is aborted and run again from the start, so `work` must have no effect of its own
 * outside the session. It is also run again when a unique key was taken after the snapshot: then it can
 * see who took it.
 */
export async function inTransaction<T>(db: Db, work: (session: Session) => Promise<T>): Promise<T> {
  for (let run = 1; ; run++) {
    try {
      return await db.client.withSession((session) =>
        session.withTransaction(() => work(session), {
          readConcern: { level: 'snapshot' },
          writeConcern: { w: 'majority', journal: true },
          readPreference: 'primary',
        }),
      )
    } catch (error) {
      if (!(error instanceof MongoServerError && error.code === duplicateKey) || run === runsOnDuplicateKey) throw error
    }
  }
}
