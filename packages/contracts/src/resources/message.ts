import { z } from 'zod'
import { comparedText, isoTime, messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { attachment } from './file.ts'
import { sender } from './sender.ts'

/** Maximum size of a message's content, in bytes of JSON (docs/reference/README.md#limits). */
export const maxMessageBytes = 64 * 1024

// Not z.json(): a parsed body is JSON already, and z.json() would drop keys such as `__proto__`.
export const messageContent = z
  .any()
  .refine((content) => content !== undefined, 'required')
  .describe('Content: any JSON, at most 64 KiB')
/** Types of the messages that the server writes about changes of members. */
export const systemTypes = ['joinRoom', 'addMembers', 'leaveRoom', 'deleteMember'] as const
export type SystemType = (typeof systemTypes)[number]

/** A message type set by a caller. */
export const messageType = comparedText(64)
  .min(1)
  .refine(
    (type) => !systemTypes.includes(type as SystemType),
    'is a system message type, which only the server may use',
  )
  .meta({ not: { enum: [...systemTypes] } })
  .describe('Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember')

/** 366 days: the longest time until a message expires. */
const maxExpiresInS = 31_622_400
export const expiresInS = z.number().int().min(0).max(maxExpiresInS)

/** Maximum number of users mentioned in a message. */
export const maxMentions = 1_000

/** Maximum number of reactions to a message, so that its events fit into one bus message. */
export const maxReactions = 500
/** Maximum number of reactions of one user to a message. */
export const maxReactionsOfUser = 20
export const reactionName = comparedText(64).min(1).describe('The reaction, e.g. an emoji')
const reaction = z.object({ client: userId, reaction: z.string() }).meta({ id: 'Reaction', ...ours })

/** Length of a quote, in characters. */
export const quoteLength = 200

/** A reply's quote of its parent message, in the parent's current state. */
export const quote = z
  // Fields are marked one by one: zod's toJSONSchema drops a mark of the whole schema from references.
  .object({
    _id: messageId.meta(ours),
    sender: userId.meta(ours),
    messageType: z.string().meta(ours),
    text: z
      .string()
      .meta(ours)
      .describe(
        `First ${quoteLength} characters of its text, or of \`text\` in its content; empty if there is none, or once deleted or recalled`,
      ),
    isDeleted: z.boolean().meta(ours),
  })
  .meta({ id: 'Quote' })
export type Quote = z.infer<typeof quote>

const common = {
  _id: messageId,
  id: messageId,
  message: z.unknown().describe('Content; absent in deleted and recalled messages').optional(),
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
  seq: z.number().int().min(1).meta(ours).describe('Consecutive number in its room or thread: 1, 2, 3…'),
  mentions: z.array(userId).optional().meta(ours),
  attachments: z.array(attachment).optional().meta(ours).describe('Files; see GET /files/{id} for download URLs'),
  system: z.boolean().optional().meta(ours).describe('Written by the server about a change of members'),
  pinned: z.boolean().optional().meta(ours),
  edited: z.boolean().optional().meta(ours).describe('The content was replaced'),
  streaming: z.boolean().optional().meta(ours).describe('A robot is still streaming it'),
  expiresAtMS: timeMS.optional().meta(ours).describe('When it expires and becomes a stub, as if deleted for everyone'),
  clientMessageID: z.string().optional().meta(ours),
  replyTo: quote.optional().meta(ours).describe('Message in the same room that this one replies to'),
  threadOf: messageId.optional().meta(ours).describe('Root of its thread; `seq` counts in the thread'),
  threadCount: z.number().int().min(1).optional().meta(ours).describe('Number of messages in its thread'),
  threadLatestSeq: z.number().int().min(1).optional().meta(ours).describe('`seq` of the latest message in its thread'),
  lastThreadMessage: quote.optional().meta(ours).describe('Latest message in its thread'),
  threadParticipants: z.array(userId).optional().meta(ours).describe('First five participants of its thread'),
}

/** A message in the history and in events (docs/reference/resources.md#message). */
export const message = z.object({ ...common, sender }).meta({ id: 'Message' })
export type Message = z.infer<typeof message>

/** A message as returned by sends: the sender is a plain user ID (docs/reference/resources.md#sentmessage). */
export const sentMessage = z.object({ ...common, sender: userId }).meta({ id: 'SentMessage' })
export type SentMessage = z.infer<typeof sentMessage>
