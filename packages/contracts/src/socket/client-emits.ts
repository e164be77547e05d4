import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { comparedText, inPath, isoTime, messageId, roomId, timeMS, userId } from '../ids.ts'
import { exampleMessage } from '../operations/examples.ts'
import { streamedText, typingText } from '../operations/messages/live.ts'
import { clientMessageID, expiresInS, replyTo, thread } from '../operations/messages/messages.ts'
import { exampleDelivered, markDelivered } from '../operations/rooms/delivered.ts'
import { markRead } from '../operations/rooms/read-markers.ts'
import { ours } from '../ours.ts'
import { attachments } from '../resources/file.ts'
import { maxMentions, messageContent, messageType, sentMessage } from '../resources/message.ts'
import { exampleUserPresence, maxWatchedUsers, userPresence } from '../resources/presence.ts'
import { scheduledMessage, sendAtMS } from '../resources/scheduled-message.ts'

/** How event payloads are written on a connection: JSON, or base64 of the UTF-8 JSON as a string. */
export const encodings = ['plain', 'base64'] as const

export interface EmitContract {
  /** One line on the effect. */
  summary: string
  /** Arguments before the acknowledgement. */
  args: z.ZodTuple
  /** Argument names for errors. A single argument is named by its fields. */
  names?: readonly string[]
  /** The `result` of the acknowledgement. */
  ack: z.ZodType
  /** Errors besides those of `everyEmit`. */
  errors: readonly ErrorCode[]
  /** Error code of an invalid value. Default: INVALID_REQUEST. */
  invalid?: ErrorCode
  /** True if the interface defines it; the others are extensions. */
  inInterface?: true
  example: { args: unknown; ack: unknown }
}

/** The errors that any emit may return. */
export const everyEmit = [
  'MISSING_PARAMETER',
  'INVALID_REQUEST',
  'INVALID_BODY',
  'TOO_MANY_REQUESTS',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const satisfies ErrorCode[]

const watched = z.array(userId).min(1).max(maxWatchedUsers)

const inRoom = ['INVALID_TOKEN', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'] as const

/** The emits of clients; each takes an optional acknowledgement with the envelope. */
export const clientEmits = {
  conf: {
    summary: 'Sets the encoding of later event payloads on this connection',
    args: z.tuple([z.object({ encoding: z.string().optional().describe(encodings.join(' or ')) })]),
    ack: z.object({ encoding: z.enum(encodings) }),
    errors: ['INVALID_ENCODING'],
    invalid: 'INVALID_ENCODING',
    inInterface: true,
    example: { args: [{ encoding: 'base64' }], ack: { encoding: 'base64' } },
  },
  auth2: {
    summary: 'Authenticates the connection. After the acknowledgement, it receives the events of all the user’s rooms',
    args: z.tuple([
      z.string().max(8192).describe('The user’s token'),
      z
        .object({
          deviceId: inPath(comparedText(256)).optional(),
          clientKey: z.string().max(256).optional().meta(ours),
          since: timeMS
            .min(0)
            .optional()
            .meta(ours)
            .describe(
              '`serverTimeMS` of the last acknowledgement or `serverTime` event, first 0. Events since then arrive before the acknowledgement',
            ),
        })
        .default({}),
    ]),
    names: ['token', 'options'],
    ack: z.object({
      _id: userId,
      appID: z.string(),
      clientKey: z.string().describe('IM-CLIENT-KEY of the user’s REST calls'),
      deviceId: z.string(),
      expirationDate: isoTime.describe('When the token expires, and with it the connection'),
      serverTimeMS: timeMS,
      resumed: z
        .boolean()
        .optional()
        .meta(ours)
        .describe('With `since`: whether all events since then have arrived; false: fetch missed changes'),
    }),
    errors: ['INVALID_TOKEN', 'INVALID_CLIENT_KEY'],
    inInterface: true,
    example: {
      args: ['the token', { deviceId: 'phone', clientKey: 'demo-client-key' }],
      ack: {
        _id: 'alice',
        appID: 'demo',
        clientKey: 'demo-client-key',
        deviceId: 'phone',
        expirationDate: '2026-12-20T12:00:00.000Z',
        serverTimeMS: 1_795_176_000_000,
      },
    },
  },
  'chat message': {
    summary:
      'Sends a message, like POST /rooms/{id}/message. With sendAtMS, schedules it and returns a ScheduledMessage',
    args: z.tuple([
      z.strictObject({
        room: roomId,
        message: messageContent,
        messageType,
        push: z.boolean().default(true),
        skipTotalBadge: z.boolean().default(false),
        mentions: z.array(userId).max(maxMentions).optional(),
        clientMessageID: clientMessageID.optional(),
        attachments: attachments.optional(),
        replyTo,
        thread,
        expiresInS,
        sendAtMS: sendAtMS.optional(),
      }),
    ]),
    ack: z.union([sentMessage, scheduledMessage]),
    errors: [
      ...inRoom,
      'MESSAGE_NOT_FOUND',
      'FILE_NOT_FOUND',
      'USER_BANNED',
      'USER_BLOCKED',
      'ROOM_FROZEN',
      'ROOM_IMPORTING',
      'SLOW_MODE',
      'MESSAGE_REFUSED',
      'INSUFFICIENT_PERMISSIONS',
      'TOO_MANY_SCHEDULED',
      'MESSAGE_TOO_LARGE',
    ],
    example: {
      args: [{ room: 'demo-room', message: 'Hello!', messageType: 'text' }],
      ack: { ...exampleMessage, sender: 'alice' },
    },
  },
  typing: {
    summary: 'Shows the other members that the user is typing',
    args: z.tuple([z.strictObject({ room: roomId, message: typingText })]),
    ack: z.object({}),
    errors: [...inRoom, 'USER_BLOCKED', 'ROOM_FROZEN', 'MESSAGE_REFUSED'],
    example: { args: [{ room: 'demo-room', message: 'Hel' }], ack: {} },
  },
  lastRead: {
    summary: 'Reports the last message read by the user, like PUT /rooms/{id}/lastRead',
    args: z.tuple([z.strictObject({ room: roomId, message: messageId })]),
    ack: markRead.result,
    errors: [...inRoom, 'MESSAGE_NOT_FOUND'],
    example: {
      args: [{ room: 'demo-room', message: exampleMessage._id }],
      ack: { roomID: 'demo-room', memberID: 'alice', messageID: exampleMessage._id, unread: 0 },
    },
  },
  delivered: {
    summary: 'Reports the last message delivered to the user, like PUT /rooms/{id}/delivered',
    args: z.tuple([z.strictObject({ room: roomId, message: messageId })]),
    ack: markDelivered.result,
    errors: [...inRoom, 'MESSAGE_NOT_FOUND'],
    example: { args: [{ room: 'demo-room', message: exampleMessage._id }], ack: exampleDelivered },
  },
  ai_streaming: {
    summary: 'Streams a piece of a message that the user, a robot, is writing',
    args: z.tuple([z.strictObject({ room: roomId, text: streamedText })]),
    ack: z.object({}),
    errors: [...inRoom, 'INSUFFICIENT_PERMISSIONS', 'USER_BLOCKED', 'ROOM_FROZEN'],
    example: { args: [{ room: 'demo-room', text: 'The answer ' }], ack: {} },
  },
  'presence subscribe': {
    summary: `Watches users: the event presence reports their changes. Users who share no room with the caller are left out. A socket watches at most ${maxWatchedUsers}`,
    args: z.tuple([z.strictObject({ clients: watched })]),
    ack: z.object({ clients: z.array(userPresence).describe('Current state of the watched users') }),
    errors: ['INVALID_TOKEN'],
    example: { args: [{ clients: ['bob'] }], ack: { clients: [exampleUserPresence] } },
  },
  'presence unsubscribe': {
    summary: 'Stops watching these users or, without `clients`, all',
    args: z.tuple([z.strictObject({ clients: watched.optional() })]),
    ack: z.object({}),
    errors: ['INVALID_TOKEN'],
    example: { args: [{ clients: ['bob'] }], ack: {} },
  },
  away: {
    summary: 'Reports that the device is away or back. The user is away when all their devices are',
    args: z.tuple([z.strictObject({ away: z.boolean() })]),
    ack: z.object({}),
    errors: ['INVALID_TOKEN'],
    example: { args: [{ away: true }], ack: {} },
  },
} as const satisfies Record<string, EmitContract>

export type ClientEmit = keyof typeof clientEmits
