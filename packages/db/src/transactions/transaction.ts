import { setTimeout as pause } from 'node:timers/promises'
import { type Binary, MongoError } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { isServerError } from '../server-errors.ts'

/** Data read before the transaction has changed. The transaction runs again, and reads it again. */
export class StaleReadError extends Error {
  override name = 'StaleReadError'
}

/** A unique key is taken, even after running the transaction again. Nothing was written. */
export class KeyTaken extends Error {
  override name = 'KeyTaken'
}

/** A transaction that keeps conflicting, or finds no server, fails after this long. */
const giveUpAfterMS = 10_000
const firstPauseMS = 2
/** Reached after nine conflicts in a row: with so many competitors, retrying sooner would let none succeed. */
const longestPauseMS = 1_000
/** With a lock, a transaction competes with at most one per other process, so it can retry sooner. */
const longestPauseWithLockMS = 50
/** A conflict that lasts longer may be with a killed process. */
const suspiciousAfterMS = 1_000
/** A live process does not leave a transaction idle this long, even on a very busy machine. */
export const abandonedAfterMS = 3_000

/**
 * Runs `work` in a snapshot transaction, committed and journaled on a majority. On a write conflict, the transaction is
 * aborted and retried from the start after a short pause, so `work` must have no side effects outside the session.
 *
 * A unique key that was taken after the snapshot is a conflict too. If a key was already taken in the snapshot, the
 * transaction runs a second time, since `work` may have checked it before the snapshot. If the same key is still taken,
 * it fails with KeyTaken.
 *
 * Transactions that are certain to conflict should pass the same `lock`: in one process, they then run one after the
 * other. Otherwise, fifty of them would block each other for seconds.
 *
 * The driver's `withTransaction` is similar, but retries silently for two minutes while the database is down. An API
 * should return an error instead.
 *
 * A process that is killed in a transaction leaves documents locked until the server aborts the transaction, by default
 * after a minute. A transaction that keeps conflicting therefore aborts those that have been idle for three seconds, as
 * runWorkers does every three seconds.
 *
 * @throws KeyTaken, ContentionTimeout, or the error of the last run
 */
export async function inTransaction<T>(
  db: Db,
  work: (session: Session) => Promise<T>,
  { lock }: { lock?: string } = {},
): Promise<T> {
  if (lock === undefined) return runUntilDone(db, work, longestPauseMS)
  return db.locks.run([lock], () => runUntilDone(db, work, longestPauseWithLockMS))
}

async function runUntilDone<T>(db: Db, work: (session: Session) => Promise<T>, pauseMS: number): Promise<T> {
  const deadlineMS = performance.now() + giveUpAfterMS
  let suspiciousAtMS = performance.now() + suspiciousAfterMS
  let taken: string | undefined
  return db.client.withSession(async (session) => {
    for (let run = 1; ; run++) {
      try {
        await db.beforeNextRun.get(session)?.()
        db.beforeNextRun.delete(session)
        return await runOnce(session, work, deadlineMS)
      } catch (error) {
        if (session.inTransaction()) await abort(session)
        if (isServerError(error, 'DuplicateKey')) {
          // The message names the collection, the index and the key.
          if (error.message === taken) throw new KeyTaken('a unique key is taken', { cause: error })
          taken = error.message
        } else if (!isWorthAnotherRun(error)) throw error
        if (performance.now() > deadlineMS) throw error
        if (isServerError(error, 'WriteConflict') && performance.now() > suspiciousAtMS) {
          suspiciousAtMS = performance.now() + suspiciousAfterMS
          await endAbandoned(db)
        }
        // Jitter: conflicting transactions must not retry at the same time.
        await pause(Math.min(firstPauseMS * 2 ** run, pauseMS) * Math.random())
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
      if (!isUnknown(error) || performance.now() > deadlineMS) throw error
    }
  }
}

/** Aborts this user's transactions idle for `abandonedAfterMS`. Ignores failures: the next look tries again. */
export async function endAbandoned(db: Db): Promise<void> {
  try {
    const admin = db.client.db('admin')
    const abandoned = await admin
      .aggregate<{ lsid: { id: Binary } }>([
        { $currentOp: { idleSessions: true } },
        { $match: { type: 'idleSession', 'transaction.timeInactiveMicros': { $gte: abandonedAfterMS * 1_000 } } },
        { $project: { lsid: 1 } },
      ])
      .toArray()
    if (abandoned.length > 0) await admin.command({ killSessions: abandoned.map(({ lsid: { id } }) => ({ id })) })
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
  }
}

/** Whether a failed commit may have been applied. Committing again is safe, and returns the outcome. */
function isUnknown(error: unknown): boolean {
  if (isInterrupted(error)) return true
  // Unlabelled if the transaction was aborted as abandoned and the commit then interrupted.
  if (isServerError(error, 'NoSuchTransaction')) return !error.hasErrorLabel('TransientTransactionError')
  return error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')
}

/** Another process aborted this transaction as abandoned (endAbandoned). MongoDB sets no error label. */
function isInterrupted(error: unknown): boolean {
  return isServerError(error, 'Interrupted')
}

/** Ignores failures: the server aborts the transaction later. */
async function abort(session: Session): Promise<void> {
  try {
    await session.abortTransaction()
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
  }
}

function isWorthAnotherRun(error: unknown): boolean {
  if (error instanceof StaleReadError || isInterrupted(error)) return true
  // `beforeNextRun` waited for another transaction.
  if (isServerError(error, 'MaxTimeMSExpired')) return true
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')
}
