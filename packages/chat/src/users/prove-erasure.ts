import { clock } from '@parley/async/clock'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { Db } from '@parley/db/connect'
import type { JobDoc } from '@parley/db/documents'
import { findProgressOfErasure } from '@parley/db/jobs'
import { key } from '@parley/db/keys'
import { inTransaction } from '@parley/db/transactions/transaction'

const dayMS = 24 * 60 * 60 * 1_000

/** Records in the audit log how much was erased, without any of it: once for a job. */
export async function proveErasure(db: Db, job: JobDoc, user: string, auditDays: number): Promise<void> {
  const { app, id, content, askedBy } = job
  await inTransaction(db, async (session) => {
    const { messages = 0, spared = [] } = (await findProgressOfErasure(db, job, session)) ?? {}
    if (await db.audit.findOne({ _id: key(app, id) }, { session, projection: { _id: 1 } })) return
    const atMS = clock.now()
    const after = JSON.stringify({ erased: { content, messages, sparedRooms: spared.length } })
    const entry = {
      ...{ _id: key(app, id), app, id, atMS, actor: 'job:erasure', ...askedBy, action: 'eraseUser' },
      ...{ subject: `user:${user}`, after, expiresAt: new Date(atMS + auditDays * dayMS) },
    }
    await insertAuditEntries(db, [entry], session)
  })
}
