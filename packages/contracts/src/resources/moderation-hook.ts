import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { attachment } from './file.ts'

/** The configuration key of the moderation hook (docs/reference/moderation.md#the-hook-moderate). */
export const moderateKey = 'MODERATE'

/** The value of that key. */
export const moderationHook = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2_048),
  unanswered: z.enum(['allow', 'refuse']).default('allow'),
})
export type ModerationHook = z.infer<typeof moderationHook>

/** A text to moderate before others see it: a message, an edit, a reaction, typing, a room's name or description. */
export const moderationCall = z.object({
  appID: z.string(),
  clientID: userId,
  roomID: roomId,
  event: z.enum(['MESSAGE', 'MESSAGE_UPDATED', 'REACTION', 'TYPING', 'ROOM']),
  data: z.object({
    _id: messageId.optional().describe('With MESSAGE_UPDATED and REACTION: the message'),
    message: z.unknown(),
    messageType: z.string().describe('With REACTION: `reaction`; TYPING: `typing`; ROOM: `name` or `description`'),
    mentions: z.array(userId).optional(),
    attachments: z.array(attachment).optional(),
    replyTo: messageId.optional(),
    thread: z.boolean().optional(),
  }),
})
export type ModerationCall = z.infer<typeof moderationCall>

export const moderationAnswer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('allow') }),
  z.object({ action: z.literal('mask'), text: z.string().describe('Replaces the text') }),
  z.object({ action: z.literal('refuse'), text: z.string().optional().describe('Shown to the sender') }),
])
export type ModerationAnswer = z.infer<typeof moderationAnswer>
