import { inTransaction } from '@parley/db/transactions/transaction'
import { LRUCache } from 'lru-cache'
import type { Chat } from '../chat.ts'
import { type AuditContext, createRecorder } from './recorder.ts'

/** Reading on is recorded once in this time. */
const sameReadingMS = 600_000

/**
 * Makes the function that records what an operator is about to read, or to send: the entry is committed before they get
 * anything. Further pages that the same session reads for the same reason have no entry of their own.
 */
export function createReadingRecords({ db }: Pick<Chat, 'db'>) {
  const recorded = new LRUCache<string, true>({ max: 10_000, ttl: sameReadingMS })

  return async (
    context: AuditContext,
    { session, reason, isSend }: { session: string; reason: string | undefined; isSend: boolean },
  ): Promise<void> => {
    const { app, action, subject } = context
    const reading = JSON.stringify([session, app, action, subject, reason])
    if (!isSend && recorded.has(reading)) return
    const audit = createRecorder(context)
    if (reason !== undefined) audit.note({ after: { reason } })
    await inTransaction(db, (transaction) => audit.write(db, transaction))
    if (!isSend) recorded.set(reading, true)
  }
}
