import { inTransaction } from '@parley/db/transactions/transaction'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'
import { type AuditContext, createRecorder } from './recorder.ts'

/** Continued reading is recorded once per this interval. */
const sameReadingMS = 600_000

/**
 * Returns a function that records an operator's reads and sends. The entry is committed before the operator gets
 * anything. Further pages read in the same session for the same reason add no entry.
 */
export function createReadingRecords({ db }: Pick<Chat, 'db'>) {
  const recorded = new LRUCache<string, Promise<void>>({ max: 10_000, ttl: sameReadingMS })

  return async (
    context: AuditContext,
    { session, reason, isSend }: { session: string; reason: string | undefined; isSend: boolean },
  ): Promise<void> => {
    const { app, action, subject } = context
    const reading = JSON.stringify([session, app, action, subject, reason])
    const known = isSend ? undefined : recorded.get(reading)
    if (known) return known
    const audit = createRecorder(context)
    if (reason !== undefined) audit.note({ after: { reason } })
    const recording = inTransaction(db, (transaction) => audit.write(db, transaction))
    if (!isSend) {
      recorded.set(reading, recording)
      recording.catch(() => recorded.delete(reading))
    }
    return recording
  }
}
