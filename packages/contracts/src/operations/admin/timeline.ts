import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { timelineEntry, timelineKinds } from '../../resources/timeline-entry.ts'
import { scopes } from '../../scopes.ts'
import { timeParameter } from '../../time-parameter.ts'

export const readTimeline = operation('readTimeline', 'GET /admin/timeline', {
  tag: 'Administration',
  summary: 'Get the timeline of a user or room, newest first',
  description:
    'Combines retained messages, pushes, calls, connections, refusals, read markers, tokens, bans, reports and the audit log, each with a reason and without message texts. Requires `user` or `room`. Pushes and deliveries are grouped with their message. Kinds for which the key lacks a scope are listed in `withheld`.',
  access: 'admin',
  scope: 'messages:read',
  query: z.object({
    user: userId.optional(),
    device: z.string().min(1).max(256).optional().describe('Only this device of `user`, and entries without a device'),
    room: roomId.optional(),
    from: timeParameter.optional().describe('Earliest time; default: 7 days ago'),
    to: timeParameter.optional().describe('Latest time; default: now'),
    kinds: z
      .string()
      .max(256)
      .optional()
      .describe(`Comma-separated: ${timelineKinds.join(', ')}`),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('Entries per page, not counting the pushes and deliveries of messages'),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(timelineEntry),
    cursor: nextCursor,
    withheld: z.array(z.object({ kind: z.enum(timelineKinds), scope: z.enum(scopes as [string, ...string[]]) })),
    silentNodes: z.array(z.string()).describe('Processes that did not respond; their entries are missing'),
    roomsLeftOut: z
      .number()
      .int()
      .describe('Without `room`: rooms with messages in this period beyond the 100 most recent'),
  }),
  errors: ['CLIENT_NOT_FOUND', 'ROOM_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { user: 'bob', room: 'demo-room', limit: 50 },
    result: {
      data: [
        {
          timeMS: 1_795_176_000_050,
          kind: 'push',
          code: 'PUSH_CONNECTED',
          subject: { kind: 'device', id: 'tablet' },
          reason: 'No push to tablet: the device was connected and heard the message live',
          about: { devices: ['tablet'] },
          refs: { message: '66f0c1a2b3c4d5e6f7a8b9c0', room: 'demo-room', device: 'tablet' },
        },
        {
          timeMS: 1_795_176_000_000,
          kind: 'message',
          code: 'MESSAGE_RECEIVED',
          subject: { kind: 'message', id: '66f0c1a2b3c4d5e6f7a8b9c0' },
          reason: 'alice sent a message of type text (seq 12); it reached a device of bob, but bob has not read it',
          about: { messageType: 'text', seq: 12, changes: [], by: 'alice', state: 'arrived', user: 'bob' },
          refs: { message: '66f0c1a2b3c4d5e6f7a8b9c0', room: 'demo-room', user: 'alice', request: 'req-1' },
        },
      ],
      withheld: [],
      silentNodes: [],
      roomsLeftOut: 0,
    },
  },
})
