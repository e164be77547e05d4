import { z } from 'zod'
import { comparedText, messageId, roomId, userId } from '../../ids.ts'
import { auditsField, operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { attachments } from '../../resources/file.ts'
import { acceptedJob, batchOutcome } from '../../resources/job.ts'
import {
  expiresInS as lifetimeS,
  maxMentions,
  message,
  messageContent,
  messageType,
  sentMessage,
} from '../../resources/message.ts'
import { scheduledMessage, sendAtMS as scheduledTime } from '../../resources/scheduled-message.ts'
import { timeParameter } from '../../time-parameter.ts'
import { exampleMessage } from '../examples.ts'

const inspect = z.object({ query: z.unknown(), tookMS: z.number() }).describe('Diagnostic only')

export const clientMessageID = comparedText(128).min(1).describe('Makes the send idempotent for 24 hours')

const mentions = z.array(userId).max(maxMentions)

export const thread = z.boolean().optional().describe('Put the message in the thread of the message it replies to')

export const replyTo = messageId.optional().describe('ID of the message in the same room that this one replies to')

export const expiresInS = lifetimeS
  .optional()
  .describe('Seconds until the message expires; 0 for never. Default: the room’s setting')

const sendAtMS = scheduledTime
  .optional()
  .describe(
    'Future time, within a year, at which to send the message by the rules of POST /scheduled; returns 202 with a ScheduledMessage',
  )

const idempotencyHeaders = z.looseObject({
  'idempotency-key': clientMessageID.optional().meta(ours),
})

/** A page of the history of a room or thread. */
export const historyQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(20).describe('Maximum number of messages'),
  beforeMessage: messageId.optional().describe('Messages before the current position of this message'),
  afterMessage: messageId.optional().describe('Messages after the current position of this message'),
  afterTime: timeParameter.optional(),
  timeRangeField: z.enum(['updatedAt', 'createdAt', 'messageTime']).default('updatedAt'),
})

/** Exceeds `totalCount` once old messages have been removed. */
export const latestSeq = z.number().int().min(0).meta(ours).describe('`seq` of the latest message, or 0')

export const listMessages = operation('listMessages', 'GET /rooms/:id/messages/v3', {
  inInterface: true,
  tag: 'Messages',
  summary: 'List the messages of a room, in pages',
  description:
    'Sorted by (updated time, _id), newest first; with afterMessage or afterTime and no beforeMessage, oldest first. All given bounds apply. A page with afterTime never ends between messages of the same time, at most 100 of which exist, so it may exceed the limit by that many. The updatedAtMS of its last element is an exact cursor for the next page, even while messages are edited or deleted. All other pages stay within the limit, and the ID of each message is an exact cursor. A page holds at most 4 MiB of messages, so it may be shorter than limit: only an empty page is the end. Another timeRangeField sorts by that time.',
  access: 'client',
  params: z.object({ id: roomId }),
  query: historyQuery,
  result: z.object({
    totalCount: z.number().int().describe('Number of messages in the room'),
    latestSeq,
    data: z.array(message),
    userDeletedIDs: z
      .array(z.string())
      .describe(
        'Messages of this page that the caller deleted for themselves. `data` includes them; clients hide them',
      ),
    inspect,
  }),
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
  example: { query: { limit: 20 } },
})

const sendErrors = [
  'USER_BANNED',
  'MISSING_PARAMETER',
  'ROOM_NOT_FOUND',
  'CLIENT_NOT_FOUND',
  'MESSAGE_NOT_FOUND',
  'FILE_NOT_FOUND',
  'NOT_ROOM_MEMBER',
  'USER_BLOCKED',
  'ROOM_FROZEN',
  'ROOM_IMPORTING',
  'TOO_MANY_SCHEDULED',
  'MESSAGE_TOO_LARGE',
] as const

export const sendMessage = operation('sendMessage', 'POST /messages', {
  inInterface: true,
  tag: 'Messages',
  summary: 'Send a message to a room on behalf of a user',
  description: 'With an Idempotency-Key header or clientMessageID, a repeated send returns the first message.',
  access: 'admin',
  scope: 'messages:write',
  conversations: true,
  headers: idempotencyHeaders,
  body: z.strictObject({
    room: roomId,
    sender: userId,
    message: messageContent,
    messageType,
    push: z.boolean().default(true).describe('Send push to room members'),
    skipTotalBadge: z
      .boolean()
      .default(false)
      .describe('Send pushes without a badge; the message still counts as unread'),
    mentions: mentions
      .optional()
      .describe(
        'Users to notify of a mention. A user group stands for its members, `@room` for every member, `@here` for connected members',
      ),
    clientMessageID: clientMessageID.optional().meta(ours),
    attachments: attachments.optional().meta(ours),
    replyTo: replyTo.meta(ours),
    thread: thread.meta(ours),
    expiresInS: expiresInS.meta(ours),
    sendAtMS: sendAtMS.meta(ours),
  }),
  result: sentMessage,
  scheduled: scheduledMessage,
  errors: sendErrors,
  example: {
    body: { room: 'demo-room', sender: 'alice', message: 'Hello!', messageType: 'text' },
    result: { ...exampleMessage, sender: 'alice' },
  },
})

export const writeMessage = operation('writeMessage', 'POST /rooms/:id/message', {
  tag: 'Messages',
  summary: 'Send, edit or recall a message as a member of the room',
  description:
    'Without `_id`, sends a message by the rules of POST /messages. With `_id`, changes a message of the sender: `message` replaces the content, messageType `recall` clears it. Every change emits messageUpdated to the room.',
  access: 'client-or-admin',
  scope: 'messages:write',
  conversations: true,
  audit: (input) => (input.body['_id'] === undefined ? undefined : auditsField('message', '_id')(input)),
  params: z.object({ id: roomId }),
  headers: idempotencyHeaders,
  body: z
    .strictObject({
      _id: messageId.optional().describe('Message to edit or recall; absent: send a new one'),
      sender: userId
        .optional()
        .describe('API key only: required to send; without it, the API key may edit any message'),
      message: z.any().optional().describe('Content: any JSON, at most 64 KiB; omit to recall'),
      messageType: messageType.optional().describe('Required to send; `recall` with `_id` recalls'),
      mentions: mentions.optional(),
      push: z.boolean().default(true),
      skipTotalBadge: z.boolean().default(false),
      clientMessageID: clientMessageID.optional(),
      attachments: attachments.optional().describe('Files of a new message; edits keep the files'),
      replyTo,
      thread,
      expiresInS,
      sendAtMS,
    })
    .meta({
      anyOf: [
        { required: ['message', 'messageType'], not: { required: ['_id'] } },
        { required: ['_id', 'message'] },
        { required: ['_id', 'messageType'], properties: { messageType: { const: 'recall' } } },
      ],
    }),
  result: sentMessage,
  scheduled: scheduledMessage,
  errors: [...sendErrors, 'INSUFFICIENT_PERMISSIONS', 'SLOW_MODE', 'MESSAGE_REFUSED'],
  example: { body: { message: 'Hello!', messageType: 'text' }, result: { ...exampleMessage, sender: 'alice' } },
})

/** `receiver` or `room`, and per pattern `$name$` its text for this recipient. */
const batchTarget = z
  .object({ receiver: userId.optional(), room: roomId.optional() })
  .catchall(z.string().max(4096))
  .meta({
    propertyNames: { pattern: String.raw`^(receiver|room|\$[^$]+\$)$` },
    oneOf: [{ required: ['receiver'] }, { required: ['room'] }],
  })
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

export const sendBatch = operation('sendBatch', 'POST /messages/batch', {
  tag: 'Messages',
  summary: 'Send a message to many users and rooms',
  description:
    'A `receiver` gets it in the direct room with the sender, which is created if needed. Each `$pattern$` of a recipient is replaced in every text of the message. Returns one result or error per recipient, in order, such as MESSAGE_TOO_LARGE if the text exceeds 64 KiB. A batch that takes longer than 5 s continues as a job (202); GET /admin/jobs/{id} has the outcomes. With an Idempotency-Key header, repeating a batch within 24 hours sends nothing twice and returns the outcomes or the job of the first.',
  access: 'admin',
  scope: 'messages:write',
  headers: idempotencyHeaders,
  body: z.strictObject({
    message: messageContent,
    messageType,
    sender: userId.optional().describe('Required: without it, every outcome is an error'),
    push: z.boolean().default(true),
    skipTotalBadge: z.boolean().default(false),
    expiresInS,
    attachments: attachments.optional(),
    paras: z.array(batchTarget).min(1).max(1000).describe('Recipients with the texts of their patterns'),
  }),
  result: z.array(batchOutcome),
  accepted: acceptedJob,
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
