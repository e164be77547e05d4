import { setTimeout as pause } from 'node:timers/promises'
import { type ClientSession, MongoServerError } from 'mongodb'
import type { Db } from '../connect.ts'

const pauseMS = 20
const mostTries = 50
/** SnapshotUnavailable, SnapshotTooOld: a collection or an index has just been made. Asked again, it is there. */
const unavailable = new Set([246, 239])

/**
 * Reads with one view of the database, that of the last write that a majority has: what is read in several round trips
 * belongs together, and every write that was acknowledged before is there. `read` must have no effect.
 */
export async function inSnapshot<T>(db: Db, read: (session: ClientSession) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const session = db.client.startSession({ snapshot: true })
    try {
      return await read(session)
    } catch (error) {
      const isEarly = error instanceof MongoServerError && unavailable.has(Number(error.code))
      if (!isEarly || tries === mostTries) throw error
    } finally {
      await session.endSession()
    }
    await pause(pauseMS)
  }
}
