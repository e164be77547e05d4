import { z } from 'zod'
import { isoTime, messageId, roomId, userId } from '../ids.ts'
import { streamedText, typingText } from '../operations/live.ts'
import { clientMessageID } from '../operations/messages.ts'
import { messageContent, messageType } from '../resources/message.ts'

/** How event payloads are written on a connection: JSON, or base64 of the UTF-8 JSON as a string. */
export const encodings = ['plain', 'base64'] as const

/** What a client may emit, its arguments before the acknowledgement, and the `result` of the acknowledgement. */
export const clientEmits = {
  conf: {
    args: z.tuple([z.object({ encoding: z.string().optional() })]),
    ack: z.object({ encoding: z.enum(encodings) }),
  },
  auth2: {
    args: z.tuple([
      z.string().min(1).max(8192),
      z.object({ deviceId: z.string().max(256).optional(), clientKey: z.string().max(256).optional() }).default({}),
    ]),
    ack: z.object({ _id: userId, appID: z.string(), deviceId: z.string(), expirationDate: isoTime }),
  },
  'chat message': {
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
    ack: z.unknown().describe('A SentMessage'),
  },
  typing: { args: z.tuple([z.strictObject({ room: roomId, message: typingText })]), ack: z.object({}) },
  lastRead: { args: z.tuple([z.strictObject({ room: roomId, message: messageId })]), ack: z.unknown() },
  ai_streaming: { args: z.tuple([z.strictObject({ room: roomId, text: streamedText })]), ack: z.object({}) },
} as const

export type ClientEmit = keyof typeof clientEmits
