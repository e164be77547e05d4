import { z } from 'zod'
import { messageId, roomId, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { attachments } from '../../resources/file.ts'
import { messageContent, messageType, sentMessage } from '../../resources/message.ts'
import { exampleMessage } from '../examples.ts'
import { streamedText } from './live.ts'
import { clientMessageID, expiresInS, thread } from './messages.ts'

const errors = [
  'USER_BANNED',
  'MISSING_PARAMETER',
  'MESSAGE_NOT_FOUND',
  'ROOM_NOT_FOUND',
  'CLIENT_NOT_FOUND',
  'NOT_ROOM_MEMBER',
  'USER_BLOCKED',
  'ROOM_FROZEN',
  'ROOM_IMPORTING',
  'INSUFFICIENT_PERMISSIONS',
  'MESSAGE_TOO_LARGE',
] as const

export const openStream = operation('openStream', 'POST /messages/stream', {
  tag: 'Messages',
  summary: 'Start streaming a message from a robot',
  description:
    'The room gets the message immediately, with empty text, `streaming: true` and no push. The stream ends with POST /messages/{id}/stream/end, or after 60 s without a piece.',
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  body: z.strictObject({
    room: roomId,
    sender: userId.optional().describe('A robot in the room; required with the API key'),
    messageType: messageType.default('text'),
    push: z.boolean().default(true).describe('Whether to push the message when the stream ends'),
    clientMessageID: clientMessageID.optional(),
    attachments: attachments.optional(),
    replyTo: messageId.optional().describe('Message in the same room that this one replies to'),
    thread,
    expiresInS,
  }),
  result: sentMessage,
  errors: [...errors, 'FILE_NOT_FOUND'],
  example: {
    body: { room: 'demo-room', sender: 'robot' },
    result: { ...exampleMessage, sender: 'robot', message: '', streaming: true },
  },
})

export const appendStream = operation('appendStream', 'POST /messages/:id/stream', {
  tag: 'Messages',
  summary: 'Append to a streaming message',
  description:
    'The piece is stored and emitted to the room as ai_streaming. The history shows the text so far, updated once a second.',
  access: 'client-or-admin',
  scope: 'messages:write',
  params: z.object({ id: messageId }),
  body: z.strictObject({
    text: streamedText,
    at: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe('Start of the piece, in UTF-16 units; default: the end of the last one'),
  }),
  result: z.object({ messageID: messageId, length: z.number().int().describe('End of the piece: the next `at`') }),
  errors,
  example: {
    body: { text: 'Once upon ', at: 0 },
    result: { messageID: '66f0c1a2b3c4d5e6f7a8b9c0', length: 10 },
  },
})

export const endStream = operation('endStream', 'POST /messages/:id/stream/end', {
  tag: 'Messages',
  summary: 'End a streaming message',
  description:
    'Emits messageUpdated with the complete message, and pushes it. Safe to repeat: returns the message again.',
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  params: z.object({ id: messageId }),
  body: z.strictObject({
    message: messageContent.optional().describe('Complete content in place of the pieces: any JSON, at most 64 KiB'),
  }),
  result: sentMessage,
  errors: [...errors, 'INVALID_BODY'],
  example: { body: {}, result: { ...exampleMessage, sender: 'robot', message: 'Once upon a time' } },
})
