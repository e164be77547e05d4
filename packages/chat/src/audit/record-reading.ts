import { clock } from '@parley/async/clock'
import { digest } from '@parley/db/apps/apps'
import { hasAuditEntry } from '@parley/db/audit/audit-log'
import type { Session } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { AuthenticatedOperator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { type AuditContext, createRecorder } from './recorder.ts'

/** Continued reading is recorded once per interval, counted from the beginning of the session. */
const sameReadingMS = 600_000

interface Reading {
  session: AuthenticatedOperator['session']
  reason: string | undefined
  isSend: boolean
}

/**
 * Records an operator's read or send. The entry is committed before the operator gets anything. Further pages read in the
 * same session for the same reason add no entry in the interval, at any gateway: it would have the same ID.
 */
export async function recordReading(
  { db }: Pick<Chat, 'db'>,
  context: AuditContext,
  { session, reason, isSend }: Reading,
): Promise<void> {
  const { app, action, subject } = context
  const id = isSend ? undefined : idOf(session, [app, action, subject, reason])
  if (id !== undefined && (await hasAuditEntry(db, app, id))) return
  const audit = createRecorder(context, id)
  if (reason !== undefined) audit.addDetails({ after: { reason } })
  const record = async (transaction: Session) => {
    // Another request may have recorded it meanwhile.
    if (id === undefined || !(await hasAuditEntry(db, app, id, transaction))) await audit.write(db, transaction)
  }
  await inTransaction(db, record, id === undefined ? {} : { lock: id })
}

/** Begins with a time, as all IDs of entries do. Has the whole digest, since the reader chooses the reason. */
function idOf({ _id, createdAt }: Reading['session'], reading: unknown[]): string {
  const beganMS = createdAt.getTime()
  const intervalMS = beganMS + Math.floor((clock.now() - beganMS) / sameReadingMS) * sameReadingMS
  const seconds = Math.floor(intervalMS / 1_000).toString(16)
  return `${seconds}${digest(JSON.stringify([_id, intervalMS, ...reading]))}`
}
