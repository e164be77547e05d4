import { setTimeout as pause } from 'node:timers/promises'
import type { Db, Session } from '../db.ts'
import { isServerError } from '../server-errors.ts'

const pauseMS = 20
const maxTries = 50

/**
 * Reads in one majority-committed snapshot: several round trips are consistent, and include every write acknowledged
 * before. `read` can run repeatedly, so it must have no side effects.
 */
export async function inSnapshot<T>(db: Db, read: (session: Session) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const session = db.client.startSession({ snapshot: true })
    try {
      return await read(session)
    } catch (error) {
      // A collection or index was just created: a retry succeeds.
      const isEarly = isServerError(error, 'SnapshotUnavailable', 'SnapshotTooOld')
      if (!isEarly || tries === maxTries) throw error
    } finally {
      await session.endSession()
    }
    await pause(pauseMS)
  }
}
