import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type {
  decideReport as decideOperation,
  listReports as listOperation,
} from '@parley/contracts/operations/moderation/reports'
import { type Report, type ReportDecision, reportStatus } from '@parley/contracts/resources/report'
import { newId } from '@parley/db/messages/messages'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import type { ReportDoc } from '@parley/db/moderation/documents'
import { leaseDecision, markDecided, releaseDecision } from '@parley/db/moderation/report-decisions'
import { addReport, findReport, findReports, forgetReporter } from '@parley/db/moderation/reports'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findUsers } from '@parley/db/users/users'
import { asIntegrator, type UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { deleteForAll } from '../messages/changing/delete-for-all.ts'
import { requireRoomOfMessage, requireShown, unknownMessage } from '../messages/require-message.ts'
import { parseCursor, positionByCreation, toPage } from '../page-cursor.ts'
import { eraseUser } from '../users/erase-user.ts'
import { toReportView } from '../views/report.ts'
import { banMember } from './ban-member.ts'

/**
 * Reports a message that the caller can see to the app's moderators (docs/reference/moderation.md#reports). A second
 * report by the same user changes nothing.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER; USER_BLOCKED for a caller banned in the group
 */
export async function reportMessage(
  chat: Chat,
  caller: UserCaller,
  id: string,
  reason: string,
): Promise<Record<string, never>> {
  const { db } = chat
  const { app, user } = caller
  const { room, membership } = await requireMember(chat, caller, await requireRoomOfMessage(db, app, id))
  const message = await requireShown(db, room, id)
  if ((await findUserDeletions(db, app, user, [message])).has(id)) throw unknownMessage(id)
  // In a direct room the other user may have blocked the caller, which must not prevent a report.
  if (isBlocked(membership) && room.roomType === 'group') throw new ApiError('USER_BLOCKED')
  const { content: _content, ...withoutText } = message
  const isErased = !(await findUsers(db, app, [message.sender])).has(message.sender)
  await addReport(db, isErased ? withoutText : message, { id: newId(), user, reason })
  // If a user was erased meanwhile, the erasure may have missed this report, so their data is removed here.
  const concerned = [user, message.sender]
  const existing = await findUsers(db, app, concerned)
  for (const gone of concerned) if (!existing.has(gone)) await forgetReporter(db, app, gone)
  return {}
}

/** A page of users' reports for moderators (docs/reference/moderation.md#reports). @throws ApiError INVALID_QUERY */
export async function listReports(
  { db }: Chat,
  app: string,
  { status, room, sender, reporter, limit, cursor }: Input<typeof listOperation>['query'],
): Promise<Result<typeof listOperation>> {
  const [first, second] = Object.entries({ room, sender, reporter }).flatMap(([name, given]) =>
    given === undefined ? [] : [name],
  )
  if (second !== undefined) throw new ApiError('INVALID_QUERY', `${second}: not with ${first}`)
  const statuses = status === undefined ? reportStatus.options : [status]
  const before = parseCursor('reports', cursor)
  const oneMore = await findReports(db, { app, room, sender, reporter, statuses }, { before, limit: limit + 1 })
  return toPage('reports', oneMore, limit, { view: toReportView, positionOf: positionByCreation })
}

/** Errors which mean that the effect of a decision is already in place. */
const alreadyDone: Record<ReportDecision, readonly ErrorCode[]> = {
  dismiss: [],
  delete: ['MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND'],
  ban: ['USER_ALREADY_BLOCKED'],
  erase: ['CLIENT_NOT_FOUND'],
}

/** `untilMS`: end of the ban. */
type Decision = Input<typeof decideOperation>['body']

/**
 * Carries out a decision on a report (docs/reference/moderation.md#reports), then records it. After a kill in between,
 * the report is still open, and effects already in place count as done. Of several concurrent decisions, one is carried
 * out.
 * @throws ApiError REPORT_NOT_FOUND; REPORT_DECIDED if another decision was made or is being made; those of banMember
 */
export async function decideReport(chat: Chat, app: string, id: string, wanted: Decision): Promise<Report> {
  const { decision, untilMS } = wanted
  if (untilMS !== undefined && decision !== 'ban')
    throw new ApiError('INVALID_REQUEST', `untilMS: not with ${decision}`)
  const report = await findKnown(chat, app, id)
  if (report.status === 'decided') return toReportView(requireSame(report, decision))
  if (!(await leaseDecision(chat.db, report, decision))) {
    return toReportView(requireSame(await findKnown(chat, app, id), decision))
  }
  const { room, message, sender } = report
  chat.audit?.addDetails({
    before: { status: report.status },
    after: { status: 'decided', decision, room, message, sender },
  })
  try {
    await carryOut(chat, report, wanted)
  } catch (error) {
    if (!(error instanceof ApiError && alreadyDone[decision].includes(error.code))) {
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
