import { setTimeout as pause } from 'node:timers/promises'
import { type ClientSession, MongoServerError } from 'mongodb'
import type { Db } from '../db.ts'

const pauseMS = 20
const mostTries = 50
/** SnapshotUnavailable, SnapshotTooOld: a collection or index was just created. A retry succeeds. */
const unavailable = new Set([246, 239])

/**
 * Reads in one majority-committed snapshot: several round trips are consistent, and include every write acknowledged
 * before. `read` can run repeatedly, so it must have no side effects.
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
