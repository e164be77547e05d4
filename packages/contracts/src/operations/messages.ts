import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { operation } from '../operation.ts'
import { message, messageContent, messageType, sentMessage } from '../resources/message.ts'
import { exampleMessage } from './examples.ts'

const inspect = z.object({ query: z.unknown(), tookMS: z.number() }).describe('Diagnostic only')

export const clientMessageID = z.string().min(1).max(128).describe('Makes the send repeatable for 24 hours')

const idempotencyHeaders = z.looseObject({
  'idempotency-key': clientMessageID.optional().meta({ 'x-extension': true }),
})

export const listMessages = operation({
  id: 'listMessages',
  method: 'GET',
  path: '/rooms/:id/messages/v3',
  tag: 'Messages',
  summary: 'A page of the history of a room',
  description:
    'Sorted by (updated time, _id), latest first; with afterMessage or afterTime oldest first, so that the last element is the next cursor.',
  access: 'client',
  form: 'envelope',
  params: z.object({ id: roomId }),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(500).default(20).describe('Max messages returned'),
    beforeMessage: messageId.optional().describe('Messages before this message ID'),
    afterMessage: messageId.optional().describe('Messages after this message ID'),
    afterTime: z.string().min(1).optional().describe('ISO-8601 or milliseconds'),
    timeRangeField: z.enum(['updatedAt', 'createdAt', 'messageTime']).default('updatedAt'),
  }),
  result: z.object({
    totalCount: z.number().int().describe('All messages in the room'),
    data: z.array(message),
    userDeletedIDs: z.array(z.string()).describe('IDs that the caller deleted for himself'),
    inspect,
  }),
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
  example: { query: { limit: 20 } },
})

export const sendMessage = operation({
  id: 'sendMessage',
  method: 'POST',
  path: '/messages',
  tag: 'Messages',
  summary: 'Send a message to a room on behalf of a user',
  description: 'With an Idempotency-Key header or clientMessageID, a repeated send answers the first message again.',
  access: 'admin',
  form: 'envelope',
  headers: idempotencyHeaders,
  body: z.strictObject({
    room: roomId,
    sender: userId,
    message: messageContent,
    messageType,
    push: z.boolean().default(true).describe('Send push to room members'),
    skipTotalBadge: z.boolean().default(false).describe("Skip computing the sender's total unread count"),
    mentions: z.array(userId).max(1000).optional().describe('Users who receive mention notifications'),
    clientMessageID: clientMessageID.optional().meta({ 'x-extension': true }),
  }),
  result: sentMessage,
  errors: [
    'MISSING_PARAMETER',
    'ROOM_NOT_FOUND',
    'CLIENT_NOT_FOUND',
    'NOT_ROOM_MEMBER',
    'USER_BLOCKED',
    'ROOM_FROZEN',
    'MESSAGE_TOO_LARGE',
  ],
  example: {
    body: { room: 'demo-room', sender: 'alice', message: 'Hello!', messageType: 'text' },
    result: { ...exampleMessage, sender: 'alice' },
  },
})
