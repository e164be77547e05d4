import { defined } from '@parley/contracts/defined'
import { readJson } from '@parley/contracts/free-json'
import type { Report } from '@parley/contracts/resources/report'
import type { ReportDoc } from '@parley/db/moderation/documents'

/** A report as seen by moderators, latest reasons first. */
export function toReportView(doc: ReportDoc): Report {
  const { id, status, room, sender, messageType, messageTimeMS, count, createdAtMS, updatedAtMS } = doc
  const { content, threadOf, reporters, decision, decidedAtMS } = doc
  return {
    ...{ id, status, messageID: doc.message, room, ...(threadOf !== undefined && { threadOf }), sender, messageType },
    ...(content !== undefined && { message: readJson(content) }),
    ...{ messageTimeMS, count },
    reasons: reporters.toReversed().map(({ client, reason, atMS }) => ({ client, reason, atMS })),
    ...{ createdAtMS, updatedAtMS, ...defined({ decision, decidedAtMS }) },
  }
}
