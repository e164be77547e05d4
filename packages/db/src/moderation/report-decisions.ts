import { clock } from '@parley/async/clock'
import type { ReportDecision } from '@parley/contracts/resources/report'
import type { Db, Session } from '../db.ts'
import type { ReportDoc } from './documents.ts'
import { keptMS, shown } from './reports.ts'

/** Longer than carrying out a decision takes. After a kill, a different decision is possible when it ends. */
const decidingMS = 60_000

/**
 * Leases an open report while a decision is carried out. False if the report is not open, or a different decision is in
 * progress. */
export async function leaseDecision(
  db: Db,
  { _id }: Pick<ReportDoc, '_id'>,
  decision: ReportDecision,
): Promise<boolean> {
  const nowMS = clock.now()
  const isFree = { $or: [{ 'deciding.decision': decision }, { 'deciding.untilMS': { $not: { $gt: nowMS } } }] }
  const deciding = { decision, untilMS: nowMS + decidingMS }
  const { matchedCount } = await db.reports.updateOne({ _id, status: 'open', ...isFree }, { $set: { deciding } })
  return matchedCount === 1
}

/** Ends the lease of a decision that could not be carried out. */
export async function releaseDecision(
  db: Db,
  { _id }: Pick<ReportDoc, '_id'>,
  decision: ReportDecision,
): Promise<void> {
  await db.reports.updateOne({ _id, 'deciding.decision': decision }, { $unset: { deciding: 1 } })
}

/** Marks an open report as decided, and deletes its copy of the content; null if it is not open. */
export async function markDecided(
  db: Db,
  { _id }: Pick<ReportDoc, '_id'>,
  decision: ReportDecision,
  session: Session,
): Promise<ReportDoc | null> {
  const now = clock.now()
  const set = { status: 'decided' as const, decision, decidedAtMS: now, updatedAtMS: now }
  return db.reports.findOneAndUpdate(
    { _id, status: 'open' },
    { $set: { ...set, expiresAt: new Date(now + keptMS) }, $unset: { content: 1, deciding: 1 } },
    { returnDocument: 'after', session, ...shown },
  )
}
