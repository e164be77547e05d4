import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listAudit as operation } from '@parley/contracts/operations/admin/audit'
import { type AuditEntry, subjectKinds } from '@parley/contracts/resources/audit-entry'
import { findAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Chat } from '../chat.ts'
import { parseCursor, toPage } from '../page-cursor.ts'
import { parsePeriod } from '../read-time.ts'

/** GET /admin/audit: a page of the app's recorded changes, latest first. @throws ApiError INVALID_QUERY */
export async function listAudit(
  { db }: Pick<Chat, 'db'>,
  app: string,
  { actor, subject, action, since, until, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  if (subject !== undefined && !subjectKinds.some((kind) => subject.startsWith(`${kind}:`)))
    throw new ApiError('INVALID_QUERY', `subject: expected kind:ID, with one of the kinds ${subjectKinds.join(', ')}`)
  const page = { ...parsePeriod({ since, until }), before: parseCursor('audit', cursor), limit: limit + 1 }
  const oneMore = await findAuditEntries(db, app, { actor, subject, action }, page)
  return toPage('audit', oneMore, limit, { view: toAuditView, positionOf: (entry) => entry })
}

export function toAuditView(doc: AuditDoc): AuditEntry {
  const { id, atMS, actor, actorName, address, action, subject, before, after, request } = doc
  const colon = subject.indexOf(':')
  return {
    ...{ id, atMS, actor, ...defined({ actorName, address }) },
    action,
    subject: {
      kind: subject.slice(0, colon) as AuditEntry['subject']['kind'],
      id: subject.slice(colon + 1),
    },
    ...(before !== undefined && { before: JSON.parse(before) as unknown }),
    ...(after !== undefined && { after: JSON.parse(after) as unknown }),
    ...(request !== undefined && { request }),
  }
}
