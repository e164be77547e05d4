import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { decideReport as operation } from '@parley/contracts/operations/moderation/reports'
import type { Report, ReportDecision } from '@parley/contracts/resources/report'
import type { ReportDoc } from '@parley/db/moderation/documents'
import { leaseDecision, markDecided, releaseDecision } from '@parley/db/moderation/report-decisions'
import { findReport } from '@parley/db/moderation/reports'
import { inTransaction } from '@parley/db/transactions/transaction'
import { asIntegrator } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { deleteForAll } from '../messages/changing/delete-for-all.ts'
import { eraseUser } from '../users/erase-user.ts'
import { toReportView } from '../views/report.ts'
import { banMember } from './ban-member.ts'

/** Errors which mean that the effect of a decision is already in place. */
const done: Record<ReportDecision, readonly ErrorCode[]> = {
  dismiss: [],
  delete: ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND'],
  ban: ['USER_ALREADY_BLOCKED'],
  erase: ['CLIENT_NOT_FOUND'],
}

/** `untilMS`: end of the ban. */
type Decision = Input<typeof operation>['body']

/**
 * Carries out a decision on a report (docs/reference/moderation.md#reports), then records it. After a kill in between,
 * the report is still open, and effects already in place count as done. Of several concurrent decisions, one is carried
 * out.
 * @throws ApiError REPORT_NOT_FOUND; REPORT_DECIDED if another decision was made or is being made; those of banMember
 */
export async function decideReport(chat: Chat, app: string, id: string, wanted: Decision): Promise<Report> {
  const { decision } = wanted
  const report = await findKnown(chat, app, id)
  if (report.status === 'decided') return toReportView(requireSame(report, decision))
  if (!(await leaseDecision(chat.db, report, decision))) {
    return toReportView(requireSame(await findKnown(chat, app, id), decision))
  }
  const { room, message, sender } = report
  chat.audit?.note({ after: { decision, room, message, sender } })
  try {
    await carryOut(chat, report, wanted)
  } catch (error) {
    if (!(error instanceof ApiError && done[decision].includes(error.code))) {
      if (error instanceof ApiError) await releaseDecision(chat.db, report, decision)
      throw error
    }
  }
  const decided = await inTransaction(chat.db, async (session) => {
    const marked = await markDecided(chat.db, report, decision, session)
    if (marked) await chat.audit?.write(chat.db, session)
    return marked
  })
  return toReportView(decided ?? requireSame(await findKnown(chat, app, id), decision))
}

async function findKnown({ db }: Chat, app: string, id: string): Promise<ReportDoc> {
  const report = await findReport(db, app, id)
  if (!report) throw new ApiError('REPORT_NOT_FOUND', `id: no report ${JSON.stringify(id)}`)
  return report
}

function requireSame(report: ReportDoc, decision: ReportDecision): ReportDoc {
  if (report.decision === decision) return report
  const otherwise = report.decision ?? report.deciding?.decision ?? 'open again'
  throw new ApiError('REPORT_DECIDED', `decision: the report was decided otherwise: ${otherwise}`)
}

async function carryOut(chat: Chat, report: ReportDoc, { decision, untilMS }: Decision): Promise<void> {
  const { app, room, sender, message } = report
  if (decision === 'delete') await deleteForAll(chat, asIntegrator(app), room, message)
  if (decision === 'ban') await banMember(chat, asIntegrator(app), { room, blockee: sender, untilMS, isLonger: true })
  if (decision === 'erase') await eraseUser(chat, app, sender)
}
