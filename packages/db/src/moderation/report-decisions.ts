import { clock } from '@parley/async/clock'
import type { ReportDecision } from '@parley/contracts/resources/report'
import type { ClientSession } from 'mongodb'
import type { Db } from '../db.ts'
import type { ReportDoc } from './documents.ts'
import { keptMS, shown } from './reports.ts'

/** Longer than a decision takes to carry out; after a kill another decision can follow then. */
const decidingMS = 60_000

/** Leases an open report, so that nothing else is decided while this is carried out; false if it is not open, or another decision has it. */
export async function takeToDecide(
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

/** It could not be carried out: the report can be decided otherwise. */
export async function letDecide(db: Db, { _id }: Pick<ReportDoc, '_id'>, decision: ReportDecision): Promise<void> {
  await db.reports.updateOne({ _id, 'deciding.decision': decision }, { $unset: { deciding: 1 } })
}

/** Decides an open report and deletes its text; null if it is not open. */
export async function markDecided(
  db: Db,
  { _id }: Pick<ReportDoc, '_id'>,
  decision: ReportDecision,
  session: ClientSession,
): Promise<ReportDoc | null> {
  const now = clock.now()
  const set = { status: 'decided' as const, decision, decidedAtMS: now, updatedAtMS: now }
  return db.reports.findOneAndUpdate(
    { _id, status: 'open' },
    { $set: { ...set, expiresAt: new Date(now + keptMS) }, $unset: { content: 1, deciding: 1 } },
    { returnDocument: 'after', session, ...shown },
  )
}
