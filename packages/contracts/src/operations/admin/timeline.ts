import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { timelineEntry, timelineKinds } from '../../resources/timeline-entry.ts'
import { scopes } from '../../scopes.ts'
import { timeParameter } from '../../time-parameter.ts'

export const readTimeline = operation({
  id: 'readTimeline',
  method: 'GET',
  path: '/admin/timeline',
  tag: 'Administration',
  summary: 'The timeline of a user or a room, with reasons, the latest first',
  description:
    'From what is kept: messages, pushes, calls, connections, refusals, read markers, tokens, bans, reports and the audit log, without texts of messages. It needs `user` or `room`. Pushes and deliveries stand with their message. Kinds for which the key lacks a scope are left out and named in `withheld`.',
  access: 'admin',
  scope: 'messages:read',
  form: 'envelope',
  query: z.object({
    user: userId.optional(),
    device: z.string().min(1).max(256).optional().describe('Only this device of `user`, and what is of no device'),
    room: roomId.optional(),
    from: timeParameter.optional().describe('From this time on; 7 days ago by default'),
    to: timeParameter.optional().describe('Up to this time; now by default'),
    kinds: z
      .string()
      .max(256)
      .optional()
      .describe(`Only these: ${timelineKinds.join(', ')}; separated by commas`),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(100)
      .default(50)
      .describe('Entries of a page, beside the pushes and deliveries of its messages'),
    cursor: z.string().max(1_000).optional().describe('`cursor` of the page before'),
  }),
  result: z.object({
    data: z.array(timelineEntry),
    cursor: z.string().optional().describe('Of the next page; absent on the last one'),
    withheld: z.array(z.object({ kind: z.enum(timelineKinds), scope: z.enum(scopes as [string, ...string[]]) })),
    silentNodes: z.array(z.string()).describe('Processes that did not answer: what they remember is missing'),
    roomsLeftOut: z
      .number()
      .int()
      .describe('Without `room`: rooms of the user with messages in the time, beyond the 100 with the latest'),
  }),
  errors: ['CLIENT_NOT_FOUND', 'ROOM_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
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
          reason: 'alice sent a message of type text (seq 12); it reached a device of bob, and bob has not read it',
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
