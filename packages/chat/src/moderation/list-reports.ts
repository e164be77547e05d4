import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listReports as operation } from '@parley/contracts/operations/moderation/reports'
import { reportStatus } from '@parley/contracts/resources/report'
import { findReports } from '@parley/db/moderation/reports'
import type { Chat } from '../chat.ts'
import { parseCursor, placeByCreation, toPage } from '../page-cursor.ts'
import { toReportView } from '../views/report.ts'

/** A page of users' reports for moderators (docs/reference/moderation.md#reports). @throws ApiError INVALID_QUERY */
export async function listReports(
  { db }: Chat,
  app: string,
  { status, room, sender, reporter, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const [first, second] = Object.entries({ room, sender, reporter }).flatMap(([name, given]) =>
    given === undefined ? [] : [name],
  )
  if (second !== undefined) throw new ApiError('INVALID_QUERY', `${second}: not with ${first}`)
  const statuses = status === undefined ? reportStatus.options : [status]
  const before = parseCursor(cursor)
  const oneMore = await findReports(db, { app, room, sender, reporter, statuses }, { before, limit: limit + 1 })
  return toPage(oneMore, limit, { view: toReportView, placeOf: placeByCreation })
}
