import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { operation } from '../operation.ts'
import { maxMentions, message, messageContent, messageType, sentMessage } from '../resources/message.ts'
import { exampleMessage } from './examples.ts'

const inspect = z.object({ query: z.unknown(), tookMS: z.number() }).describe('Diagnostic only')

export const clientMessageID = z.string().min(1).max(128).describe('Makes the send repeatable for 24 hours')

const mentions = z.array(userId).max(maxMentions)

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
    cursorTime: z
      .string()
      .min(1)
      .optional()
      .meta({ 'x-extension': true })
      .describe(
        'The time of the message named by beforeMessage or afterMessage as the caller saw it: the page begins exactly there, even if the message was changed and moved since',
      ),
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
    mentions: mentions.optional().describe('Users who receive mention notifications'),
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

export const writeMessage = operation({
  id: 'writeMessage',
  method: 'POST',
  path: '/rooms/:id/message',
  tag: 'Messages',
  summary: 'Send, edit or recall a message as a member of the room',
  description:
    'Without `_id` it sends, by the rules of POST /messages. With `_id` it changes a message that one sent oneself: `message` replaces the content, and messageType `recall` clears it. Every change is told to the room by `messageUpdated`.',
  access: 'client-or-admin',
  form: 'envelope',
  extension: true,
  params: z.object({ id: roomId }),
  headers: idempotencyHeaders,
  body: z.strictObject({
    _id: messageId.optional().describe('The message to edit or recall; sends a new one when absent'),
    sender: userId.optional().describe('With the API key only, and required then'),
    message: z.any().optional().describe('Content: any JSON, at most 64 KiB; left out to recall'),
    messageType: messageType.optional().describe('Required to send; `recall` with `_id` recalls'),
    mentions: mentions.optional(),
    push: z.boolean().default(true),
    skipTotalBadge: z.boolean().default(false),
    clientMessageID: clientMessageID.optional(),
  }),
  result: sentMessage,
  errors: [
    'MISSING_PARAMETER',
    'ROOM_NOT_FOUND',
    'CLIENT_NOT_FOUND',
    'MESSAGE_NOT_FOUND',
    'NOT_ROOM_MEMBER',
    'INSUFFICIENT_PERMISSIONS',
    'USER_BLOCKED',
    'ROOM_FROZEN',
    'MESSAGE_TOO_LARGE',
  ],
  example: { body: { message: 'Hello!', messageType: 'text' }, result: { ...exampleMessage, sender: 'alice' } },
})

/** Beside receiver or room, `$name$`: what stands for it in the text, for this recipient. */
const batchTarget = z
  .object({ receiver: userId.optional(), room: roomId.optional() })
  .catchall(z.string().max(4096))
  .transform(({ receiver, room, ...patterns }, context) => {
    for (const name of Object.keys(patterns)) {
      if (!/^\$[^$]+\$$/.test(name)) {
        context.addIssue({ code: 'custom', path: [name], message: 'expected receiver, room or a $pattern$' })
      }
    }
    if ((receiver === undefined) === (room === undefined)) {
      context.addIssue({ code: 'custom', message: 'expected either receiver or room' })
    }
    return { receiver, room, patterns }
  })
export type BatchTarget = z.output<typeof batchTarget>

export const sendBatch = operation({
  id: 'sendBatch',
  method: 'POST',
  path: '/messages/batch',
  tag: 'Messages',
  summary: 'Send a message to many users and rooms',
  description:
    'A receiver gets it in the direct room with the sender, which is created when there is none. Answers one result or error per recipient, in order.',
  access: 'admin',
  form: 'envelope',
  extension: true,
  body: z.strictObject({
    message: messageContent,
    messageType,
    sender: userId.optional().describe('Required to reach anybody: without it every recipient gets an error'),
    push: z.boolean().default(true),
    skipTotalBadge: z.boolean().default(false),
    paras: z.array(batchTarget).min(1).max(1000).describe('Recipients, each with the texts of its patterns'),
  }),
  result: z.array(
    z.union([
      z.strictObject({ result: sentMessage }),
      z.strictObject({ error: z.object({ code: z.string(), message: z.string() }) }),
    ]),
  ),
  errors: ['MISSING_PARAMETER', 'MESSAGE_TOO_LARGE'],
  example: {
    body: {
      message: 'Hello $name$!',
      messageType: 'text',
      sender: 'alice',
      paras: [{ receiver: 'bob', $name$: 'Bob' }, { room: 'no such room' }],
    },
    result: [
      { result: { ...exampleMessage, message: 'Hello Bob!', sender: 'alice' } },
      { error: { code: 'ROOM_NOT_FOUND', message: 'room: no room "no such room"' } },
    ],
  },
})
