import { z } from 'zod'
import { comparedText, madeId, messageId, naming, roomId, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { attachments, attachmentsOrNone } from '../../resources/file.ts'
import { maxMentions, messageContent, messageType } from '../../resources/message.ts'
import { scheduledMessage, sendAtMS } from '../../resources/scheduled-message.ts'
import { expiresInS, thread } from './messages.ts'

const params = z.object({ id: naming('scheduled message', madeId().describe('ID of a scheduled message')) })

const senderErrors = [
  'ROOM_NOT_FOUND',
  'CLIENT_NOT_FOUND',
  'NOT_ROOM_MEMBER',
  'USER_BLOCKED',
  'USER_BANNED',
  'FILE_NOT_FOUND',
  'MESSAGE_TOO_LARGE',
] as const

const example = {
  id: '66f0c1a2b3c4d5e6f7a8b9c2',
  room: 'demo-room',
  sender: 'alice',
  message: 'Good morning!',
  messageType: 'text',
  sendAtMS: 1_798_761_600_000,
  createdAtMS: 1_795_176_000_000,
}

export const scheduleMessage = operation('scheduleMessage', 'POST /scheduled', {
  tag: 'Messages',
  summary: 'Schedule a message',
  description:
    'It is sent once, late rather than never. The sender’s rights are checked when it is sent; a banned sender is refused immediately. Repeating a scheduled clientMessageID returns the first one.',
  access: 'client-or-admin',
  scope: 'messages:write',
  body: z.strictObject({
    room: roomId,
    sender: userId.optional().describe('API key only, and required there'),
    message: messageContent,
    messageType,
    sendAtMS,
    push: z.boolean().default(true),
    skipTotalBadge: z.boolean().default(false),
    mentions: z.array(userId).max(maxMentions).optional(),
    clientMessageID: comparedText(128).min(1).optional(),
    attachments: attachments.optional(),
    replyTo: messageId.optional(),
    thread,
    expiresInS,
  }),
  result: scheduledMessage,
  errors: ['MISSING_PARAMETER', ...senderErrors, 'INSUFFICIENT_PERMISSIONS', 'TOO_MANY_SCHEDULED'],
  example: {
    body: { room: 'demo-room', message: 'Good morning!', messageType: 'text', sendAtMS: 1_798_761_600_000 },
    result: example,
  },
})

export const listScheduled = operation('listScheduled', 'GET /scheduled', {
  tag: 'Messages',
  summary: 'List scheduled messages, next first',
  description:
    "Lists the caller's own; with the API key, those of the app or of `sender`. Refused ones are kept for 30 days.",
  access: 'client-or-admin',
  scope: 'messages:read',
  conversations: true,
  query: z.object({
    sender: userId.optional().describe('API key only'),
    limit: z.coerce.number().int().min(1).max(100).default(20),
    cursor: pageCursor,
  }),
  result: z.object({
    data: z.array(scheduledMessage),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { limit: 20 }, result: { data: [example] } },
})

export const changeScheduled = operation('changeScheduled', 'PUT /scheduled/:id', {
  tag: 'Messages',
  summary: 'Change a scheduled message, or reschedule a refused one',
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  audit: auditsParam('message', 'id'),
  params,
  body: z.strictObject({
    sendAtMS: sendAtMS.optional().describe('Required if it was refused'),
    message: z.any().optional().describe('Content: any JSON, at most 64 KiB'),
    messageType: messageType.optional(),
    attachments: attachmentsOrNone
      .optional()
      .describe('Replaces the files; an empty list removes them, absent keeps them'),
  }),
  result: scheduledMessage,
  errors: ['SCHEDULED_NOT_FOUND', ...senderErrors],
  example: { body: { sendAtMS: 1_798_761_600_000 }, result: example },
})

export const cancelScheduled = operation('cancelScheduled', 'DELETE /scheduled/:id', {
  tag: 'Messages',
  summary: 'Cancel a scheduled message',
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  audit: auditsParam('message', 'id'),
  params,
  result: scheduledMessage,
  errors: ['SCHEDULED_NOT_FOUND'],
  example: { result: example },
})
