import { z } from 'zod'
import type { ErrorCode } from '../errors.ts'
import { isoTime, messageId, roomId, userId } from '../ids.ts'
import { exampleMessage } from '../operations/examples.ts'
import { streamedText, typingText } from '../operations/live.ts'
import { clientMessageID } from '../operations/messages.ts'
import { markRead } from '../operations/rooms.ts'
import { messageContent, messageType, sentMessage } from '../resources/message.ts'

/** How event payloads are written on a connection: JSON, or base64 of the UTF-8 JSON as a string. */
export const encodings = ['plain', 'base64'] as const

interface EmitContract {
  /** What it does. */
  summary: string
  /** Its arguments before the acknowledgement. */
  args: z.ZodType
  /** The `result` of the acknowledgement. */
  ack: z.ZodType
  /** The errors of its own; INVALID_REQUEST, TOO_MANY_REQUESTS and those of a dependency that is away can always come. */
  errors: readonly ErrorCode[]
  example: { args: unknown; ack: unknown }
}

const inRoom = ['INVALID_TOKEN', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'] as const

/** What a client may emit; every emit takes an optional acknowledgement with the envelope. */
export const clientEmits = {
  conf: {
    summary: 'Chooses how the payloads of events are written on this connection from now on',
    args: z.tuple([z.object({ encoding: z.string().optional().describe(encodings.join(' or ')) })]),
    ack: z.object({ encoding: z.enum(encodings) }),
    errors: ['INVALID_ENCODING'],
    example: { args: [{ encoding: 'base64' }], ack: { encoding: 'base64' } },
  },
  auth2: {
    summary: 'Makes the connection a user’s: from the acknowledgement on, the events of all his rooms arrive',
    args: z.tuple([
      z.string().min(1).max(8192).describe('The user’s token'),
      z.object({ deviceId: z.string().max(256).optional(), clientKey: z.string().max(256).optional() }).default({}),
    ]),
    ack: z.object({ _id: userId, appID: z.string(), deviceId: z.string(), expirationDate: isoTime }),
    errors: ['INVALID_TOKEN', 'INVALID_CLIENT_KEY'],
    example: {
      args: ['the token', { deviceId: 'phone', clientKey: 'demo-client-key' }],
      ack: { _id: 'alice', appID: 'demo', deviceId: 'phone', expirationDate: '2026-12-20T12:00:00.000Z' },
    },
  },
  'chat message': {
    summary: 'Sends a message, like POST /messages with the user as its sender',
    args: z.tuple([
      z.strictObject({
        room: roomId,
        message: messageContent,
        messageType,
        push: z.boolean().default(true),
        mentions: z.array(userId).max(1000).optional(),
        clientMessageID: clientMessageID.optional(),
      }),
    ]),
    ack: sentMessage,
    errors: [...inRoom, 'USER_BLOCKED', 'ROOM_FROZEN', 'MESSAGE_TOO_LARGE'],
    example: {
      args: [{ room: 'demo-room', message: 'Hello!', messageType: 'text' }],
      ack: { ...exampleMessage, sender: 'alice' },
    },
  },
  typing: {
    summary: 'Tells the other members that the user is typing',
    args: z.tuple([z.strictObject({ room: roomId, message: typingText })]),
    ack: z.object({}),
    errors: [...inRoom, 'USER_BLOCKED'],
    example: { args: [{ room: 'demo-room', message: 'Hel' }], ack: {} },
  },
  lastRead: {
    summary: 'Reports the last message that the user has read, like PUT /rooms/{id}/lastRead',
    args: z.tuple([z.strictObject({ room: roomId, message: messageId })]),
    ack: markRead.result,
    errors: [...inRoom, 'MESSAGE_NOT_FOUND'],
    example: {
      args: [{ room: 'demo-room', message: exampleMessage._id }],
      ack: { roomID: 'demo-room', memberID: 'alice', messageID: exampleMessage._id, unread: 0 },
    },
  },
  ai_streaming: {
    summary: 'Streams a piece of a message that the user, a robot, is writing',
    args: z.tuple([z.strictObject({ room: roomId, text: streamedText })]),
    ack: z.object({}),
    errors: [...inRoom, 'INSUFFICIENT_PERMISSIONS', 'USER_BLOCKED'],
    example: { args: [{ room: 'demo-room', text: 'The answer ' }], ack: {} },
  },
} as const satisfies Record<string, EmitContract>

export type ClientEmit = keyof typeof clientEmits
