import { MongoError } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { isServerError } from '../server-errors.ts'
import { inTransaction } from '../transactions/transaction.ts'

/** A server that is busy for longer counts as down. */
const maxWaitMS = 60_000

/**
 * Retries a write that exceeded its time limit, or a transaction that was aborted, so that an import survives its own load
 * and transactions left by a killed process.
 * @param write must be idempotent
 */
export async function retryBusy<T>(write: () => Promise<T>): Promise<T> {
  const endMS = performance.now() + maxWaitMS
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (!isBusy(error) || performance.now() > endMS) throw error
    }
  }
}

/** Like inTransaction, but waits for a busy server as long as retryBusy does. */
export function inTransactionWhenBusy(db: Db, work: (session: Session) => Promise<void>): Promise<void> {
  return retryBusy(() => inTransaction(db, work))
}

function isBusy(error: unknown): boolean {
  if (isServerError(error, 'MaxTimeMSExpired')) return true
  return error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')
}
