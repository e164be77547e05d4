import { z } from 'zod'
import { comparedText, isoTime, messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { attachment } from './file.ts'
import { sender } from './sender.ts'

/** The largest content of a message, as bytes of JSON (docs/reference/README.md#limits). */
export const maxMessageBytes = 64 * 1024

// Not z.json(): a parsed body is JSON already, and z.json() would drop keys such as `__proto__`.
export const messageContent = z
  .any()
  .refine((content) => content !== undefined, 'required')
  .describe('Content: any JSON, at most 64 KiB')
/** The types of the messages that the server writes about a change of members. */
export const systemTypes = ['joinRoom', 'addMembers', 'leaveRoom', 'deleteMember'] as const
export type SystemType = (typeof systemTypes)[number]

/** The type that a caller gives to a message. */
export const messageType = z
  .string()
  .min(1)
  .max(64)
  .refine(
    (type) => !systemTypes.includes(type as SystemType),
    'a type of system messages, which only the server writes',
  )
  .meta({ not: { enum: [...systemTypes] } })
  .describe('Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember')

/** 366 days: the longest time until a message expires. */
const maxExpiresInS = 31_622_400
export const expiresInS = z.number().int().min(0).max(maxExpiresInS)

/** A message mentions at most this many users. */
export const maxMentions = 1_000

/** A message has at most this many reactions, so that its events fit into one message of the bus. */
export const maxReactions = 500
/** One user gives a message at most this many of them. */
export const maxReactionsOfUser = 20
export const reactionName = comparedText(64).min(1).describe('The reaction, e.g. an emoji')
const reaction = z.object({ client: userId, reaction: z.string() }).meta({ id: 'Reaction', ...ours })

/** The characters of a message's text that a quote has. */
export const quoteLength = 200

/** A reply's quote of its parent message, in the parent's current state. */
export const quote = z
  // Each field is marked: a mark of the whole would be lost where it is referenced (zod's toJSONSchema).
  .object({
    _id: messageId.meta(ours),
    sender: userId.meta(ours),
    messageType: z.string().meta(ours),
    text: z
      .string()
      .meta(ours)
      .describe(
        `The first ${quoteLength} characters of its text, or of the \`text\` of its content; empty where there is none, and when it was deleted or recalled`,
      ),
    isDeleted: z.boolean().meta(ours),
  })
  .meta({ id: 'Quote' })
export type Quote = z.infer<typeof quote>

const common = {
  _id: messageId,
  id: messageId,
  message: z.unknown().describe('Content; absent once the message is deleted or recalled').optional(),
  room: roomId,
  messageType: z.string(),
  appID: z.string(),
  messageTime: isoTime,
  messageTimeMS: timeMS,
  updatedAtMS: timeMS,
  createdAtMS: timeMS,
  reactions: z.array(reaction),
  reactionCount: z.number().int(),
  isDeleted: z.boolean(),
  seq: z.number().int().min(1).meta(ours).describe('1, 2, 3… without holes in its room or thread'),
  mentions: z.array(userId).optional().meta(ours),
  attachments: z.array(attachment).optional().meta(ours).describe('Its files; GET /files/{id} has where to fetch one'),
  system: z.boolean().optional().meta(ours).describe('The server wrote it, about a change of members'),
  pinned: z.boolean().optional().meta(ours),
  edited: z.boolean().optional().meta(ours).describe('Its content was replaced'),
  streaming: z.boolean().optional().meta(ours).describe('A robot is still writing it'),
  expiresAtMS: timeMS.optional().meta(ours).describe('When it expires, and becomes a stub as one deleted for all'),
  clientMessageID: z.string().optional().meta(ours),
  replyTo: quote.optional().meta(ours).describe('The message of the same room that it replies to'),
  threadOf: messageId.optional().meta(ours).describe('The root of its thread; seq then counts in the thread'),
  threadCount: z.number().int().min(1).optional().meta(ours).describe('The messages of the thread about it'),
  threadLatestSeq: z.number().int().min(1).optional().meta(ours).describe('`seq` of the latest message of the thread'),
  lastThreadMessage: quote.optional().meta(ours).describe('The last of them'),
  threadParticipants: z.array(userId).optional().meta(ours).describe('The first five users of the thread'),
}

/** A message in the history and in events (docs/reference/resources.md#message). */
export const message = z.object({ ...common, sender }).meta({ id: 'Message' })
export type Message = z.infer<typeof message>

/** A message as sending returns it: the sender is the plain user ID (docs/reference/resources.md#sentmessage). */
export const sentMessage = z.object({ ...common, sender: userId }).meta({ id: 'SentMessage' })
export type SentMessage = z.infer<typeof sentMessage>
