import { setTimeout as pause } from 'node:timers/promises'
import { type Binary, type ClientSession, MongoError, MongoServerError } from 'mongodb'
import type { Db } from '../db.ts'

export type Session = ClientSession

/** Data read before the transaction has changed: it runs again, and reads again. */
export class StaleReadError extends Error {
  override name = 'StaleReadError'
}

/** A unique key is taken, also when the transaction runs again. Nothing was written. */
export class KeyTaken extends Error {
  override name = 'KeyTaken'
}

/** After this long a transaction that keeps conflicting, or finds no server, fails instead of running again. */
const giveUpAfterMS = 10_000
const firstPauseMS = 2
/** Reached after eight conflicts in a row: with that many competitors, trying more often lets none succeed. */
const longestPauseMS = 1_000
/** Those that wait for a turn compete with one of each other process, which goes on at once when it has won. */
const longestPauseWithTurnMS = 50
const duplicateKey = 11_000
/** A conflict that lasts longer than this may be with a process that was killed. */
const suspiciousAfterMS = 1_000
/** No living process leaves a transaction idle for this long, not even on a very busy machine. */
const abandonedAfterMS = 3_000

/**
 * Runs `work` in one transaction on a snapshot, committed journaled on a majority. On a conflict with
 * another writer it is aborted and run again from the start after a short pause, so `work` must have no
 * effect of its own outside the session.
 *
 * A unique key that is taken after the snapshot is a conflict too. One that was taken in the snapshot leads to a second
 * run, because `work` may have looked before the snapshot; when it is taken then as well, the transaction fails with
 * KeyTaken.
 *
 * Transactions that are sure to conflict give the same `turn`: in one process they wait for each other instead, and each
 * succeeds. Otherwise fifty of them would block each other for seconds.
 *
 * The driver's `withTransaction` does the same, but goes on in silence for two minutes while the database
 * is away; an API should rather return an error.
 *
 * A process that is killed in a transaction leaves its documents locked until the server ends the transaction, after a
 * minute by default. So a transaction that keeps conflicting ends those that have been idle for three seconds.
 *
 * @throws KeyTaken, NoTurn, or the error of the last run
 */
export async function inTransaction<T>(
  db: Db,
  work: (session: Session) => Promise<T>,
  { turn }: { turn?: string } = {},
): Promise<T> {
  if (turn === undefined) return runUntilDone(db, work, longestPauseMS)
  return db.turns.take([turn], () => runUntilDone(db, work, longestPauseWithTurnMS))
}

async function runUntilDone<T>(db: Db, work: (session: Session) => Promise<T>, pauseMS: number): Promise<T> {
  const deadlineMS = performance.now() + giveUpAfterMS
  let lookAtMS = performance.now() + suspiciousAfterMS
  let taken: string | undefined
  return db.client.withSession(async (session) => {
    for (let run = 1; ; run++) {
      try {
        await db.beforeNextRun.get(session)?.()
        db.beforeNextRun.delete(session)
        return await runOnce(session, work, deadlineMS)
      } catch (error) {
        if (session.inTransaction()) await abort(session)
        if (isDuplicateKey(error)) {
          if (error.message === taken) throw new KeyTaken('a unique key is taken', { cause: error })
          taken = error.message
        } else if (!isWorthAnotherRun(error)) throw error
        if (performance.now() > deadlineMS) throw error
        if (isConflict(error) && performance.now() > lookAtMS) {
          lookAtMS = performance.now() + suspiciousAfterMS
          await endAbandoned(db)
        }
        // Conflicting transactions must not retry at the same moment.
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
      // It may be committed already; committing again is safe and finds out.
      const isUnknown =
        isInterrupted(error) || (error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult'))
      if (!isUnknown || performance.now() > deadlineMS) throw error
    }
  }
}

/** Ends the transactions of our own database user that have waited for their next command for three seconds or longer. */
export async function endAbandoned(db: Db): Promise<void> {
  const admin = db.client.db('admin')
  const abandoned = await admin
    .aggregate<{ lsid: { id: Binary } }>([
      { $currentOp: { idleSessions: true } },
      { $match: { type: 'idleSession', 'transaction.timeInactiveMicros': { $gte: abandonedAfterMS * 1_000 } } },
      { $project: { lsid: 1 } },
    ])
    .toArray()
  if (abandoned.length > 0) await admin.command({ killSessions: abandoned.map(({ lsid: { id } }) => ({ id })) })
}

/** Ignores failure: the server aborts the transaction by itself later. */
async function abort(session: Session): Promise<void> {
  try {
    await session.abortTransaction()
  } catch (error) {
    if (!(error instanceof MongoError)) throw error
  }
}

const writeConflict = 112
/** MaxTimeMSExpired */
const timeExpired = 50
const interrupted = 11_601

export function isConflict(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === writeConflict
}

/** Its message names the collection, the index and the key. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === duplicateKey
}

/** Another process took this one for dead (endAbandoned), which had only stood still. MongoDB puts no label on it. */
function isInterrupted(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === interrupted
}

function isWorthAnotherRun(error: unknown): boolean {
  if (error instanceof StaleReadError || isInterrupted(error)) return true
  // The work before a run waited for another transaction.
  if (error instanceof MongoServerError && error.code === timeExpired) return true
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')
}
