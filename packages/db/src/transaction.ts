import { setTimeout as pause } from 'node:timers/promises'
import { type Binary, type ClientSession, MongoError, MongoServerError } from 'mongodb'
import type { Db } from './connect.ts'

export type Session = ClientSession

/** What was read before the transaction is not so any more: it is run again, and reads again. */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'
}

/** After this long a transaction that keeps conflicting, or finds no server, fails instead of being run again. */
const giveUpAfterMS = 10_000
const firstPauseMS = 2
const longestPauseMS = 100
const duplicateKey = 11_000
/** A conflict that lasts longer than this is with somebody who does not go on. */
const suspiciousAfterMS = 1_000

/**
 * Runs `work` in one transaction on a snapshot, committed journaled on a majority. On a conflict with
 * another writer it is aborted and run again from the start after a short pause, so `work` must have no
 * effect of its own outside the session. It is also run again when a unique key was taken after the
 * snapshot: then it can see who took it.
 *
 * The driver's `withTransaction` does the same, but goes on in silence for two minutes while the database
 * is away; a caller of an API is better served by an answer.
 *
 * Who is killed in the middle of a transaction leaves what he wrote locked until the server ends it, after a minute by
 * default. So a transaction that keeps conflicting ends those that nobody has worked on for a second.
 *
 * @throws what the last run failed with
 */
export async function inTransaction<T>(db: Db, work: (session: Session) => Promise<T>): Promise<T> {
  const deadlineMS = performance.now() + giveUpAfterMS
  let lookAtMS = performance.now() + suspiciousAfterMS
  return db.client.withSession(async (session) => {
    for (let run = 1; ; run++) {
      try {
        return await runOnce(session, work, deadlineMS)
      } catch (error) {
        if (session.inTransaction()) await abort(session)
        if (!isWorthAnotherRun(error) || performance.now() > deadlineMS) throw error
        if (isConflict(error) && performance.now() > lookAtMS) {
          lookAtMS = performance.now() + suspiciousAfterMS
          await endAbandoned(db)
        }
        // Those who conflict must not come back at the same moment.
        await pause(Math.min(firstPauseMS * 2 ** run, longestPauseMS) * Math.random())
      }
    }
  })
}

async function runOnce<T>(session: Session, work: (session: Session) => Promise<T>, deadlineMS: number): Promise<T> {
  session.startTransaction({
    readConcern: { level: 'snapshot' },
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
  })
  const result = await work(session)
  for (;;) {
    try {
      await session.commitTransaction()
      return result
    } catch (error) {
      // Whether it was committed is not known; committing again finds out, and is safe.
      const isUnknown = error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
      if (!isUnknown || performance.now() > deadlineMS) throw error
    }
  }
}

/** Ends the transactions of our own database user that have waited for their next command for a second or longer. */
async function endAbandoned(db: Db): Promise<void> {
  const admin = db.client.db('admin')
  const abandoned = await admin
    .aggregate<{ lsid: { id: Binary } }>([
      { $currentOp: { idleSessions: true } },
      { $match: { type: 'idleSession', 'transaction.timeInactiveMicros': { $gte: suspiciousAfterMS * 1_000 } } },
      { $project: { lsid: 1 } },
    ])
    .toArray()
  if (abandoned.length > 0) await admin.command({ killSessions: abandoned.map(({ lsid: { id } }) => ({ id })) })
}

/** The server aborts by itself what it cannot be told to abort. */
async function abort(session: Session): Promise<void> {
  try {
    await session.abortTransaction()
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
  }
}

const writeConflict = 112

function isConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === writeConflict
}

function isWorthAnotherRun(error: unknown): boolean {
  if (error instanceof ChangedMeanwhile) return true
  if (error instanceof MongoServerError && error.code === duplicateKey) return true
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')
}
