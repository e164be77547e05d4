import { z } from 'zod'
import { operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { auditEntry, exampleAuditEntry } from '../../resources/audit-entry.ts'
import { timeParameter } from '../../time-parameter.ts'

export const listAudit = operation('listAudit', 'GET /admin/audit', {
  tag: 'Administration',
  summary: 'List changes made by API keys, operators and commands, newest first',
  access: 'admin',
  scope: 'keys:read',
  query: z.object({
    actor: z.string().min(1).max(200).optional().describe('Such as `key:9f86d081884c` or `command:key add`'),
    subject: z.string().min(1).max(300).optional().describe('`kind:ID`, such as `room:demo-room`'),
    action: z.string().min(1).max(100).optional().describe('Such as `updateRoom`'),
    since: timeParameter.optional(),
    until: timeParameter.optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(auditEntry),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { subject: 'room:demo-room', limit: 50 }, result: { data: [exampleAuditEntry] } },
})
