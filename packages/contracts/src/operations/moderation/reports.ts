import { z } from 'zod'
import { madeId, messageId, naming, roomId, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { type ReportDecision, report, reportDecision, reportStatus } from '../../resources/report.ts'
import type { Scope } from '../../scopes.ts'
import { banEnd } from './bans.ts'

const exampleReport = {
  id: '66f0c1a2b3c4d5e6f7a8b9c1',
  status: 'open' as const,
  messageID: '66f0c1a2b3c4d5e6f7a8b9c0',
  room: 'demo-room',
  sender: 'bob',
  messageType: 'text',
  message: 'Buy now!',
  messageTimeMS: 1_795_176_000_000,
  count: 1,
  reasons: [{ client: 'alice', reason: 'spam', atMS: 1_795_176_060_000 }],
  createdAtMS: 1_795_176_060_000,
  updatedAtMS: 1_795_176_060_000,
}

/** Scopes of the operations that do the same. A ban in a room needs no other. */
const scopesOfDecision: Record<ReportDecision, readonly Scope[]> = {
  dismiss: [],
  delete: ['messages:write'],
  ban: [],
  erase: ['users:write'],
}

export const reportMessage = operation('reportMessage', 'POST /messages/:id/report', {
  tag: 'Moderation',
  summary: 'Report a message to the moderators of the app',
  description:
    'For members of the room who can see the message. Reporting it again changes nothing. Reports by several users are combined into one, with a count.',
  access: 'client',
  params: z.object({ id: messageId }),
  body: z.strictObject({ reason: z.string().min(1).max(500) }),
  result: z.object({}),
  errors: ['MISSING_PARAMETER', 'MESSAGE_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'USER_BLOCKED'],
  example: { body: { reason: 'spam' }, result: {} },
})

export const listReports = operation('listReports', 'GET /admin/reports', {
  tag: 'Moderation',
  summary: 'List reported messages by first report, newest first',
  description: 'Reports are kept for 30 days after the last report or the decision.',
  access: 'admin',
  scope: 'moderation:read',
  conversations: true,
  query: z.object({
    status: reportStatus.optional().describe('Default: all'),
    room: roomId.optional(),
    sender: userId.optional().describe('Only messages of this user; not with `room`'),
    reporter: userId.optional().describe('Only messages reported by this user; not with `room` or `sender`'),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(report),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { status: 'open' }, result: { data: [exampleReport] } },
})

export const decideReport = operation('decideReport', 'POST /admin/reports/:id/decide', {
  tag: 'Moderation',
  summary: 'Decide on a reported message',
  description:
    '`dismiss` does nothing; `delete` deletes the message for everyone and needs `messages:write` too; `ban` bans its sender in the room, until `untilMS` if given; `erase` erases its sender and needs `users:write` too. An effect already in place counts as done. Repeating the decision returns the report; a different one is refused.',
  access: 'admin',
  scope: 'moderation:write',
  scopesFor: ({ body }) => scopesOfDecision[body['decision'] as ReportDecision],
  audit: auditsParam('report', 'id'),
  params: z.object({ id: naming('report', madeId().describe('ID of a report')) }),
  body: z.strictObject({ decision: reportDecision, untilMS: banEnd.optional() }),
  result: report,
  errors: [
    'UNDER_HOLD',
    'MISSING_PARAMETER',
    'REPORT_NOT_FOUND',
    'REPORT_DECIDED',
    'INSUFFICIENT_PERMISSIONS',
    'ROOM_OR_USER_NOT_FOUND',
  ],
  example: {
    body: { decision: 'delete' },
    result: {
      ...exampleReport,
      message: undefined,
      status: 'decided',
      decision: 'delete',
      decidedAtMS: 1_795_176_120_000,
    },
  },
})
