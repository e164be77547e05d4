import { z } from 'zod'
import { isoTime, messageId, roomId, timeMS, userId } from '../ids.ts'
import { sender } from './sender.ts'

/** A message's content is any JSON of at most this many bytes (decisions.md, "Messages"). */
export const maxMessageBytes = 64 * 1024

/** Deeper content would be taken by some JSON readers and break others, which then could not read the history. */
export const maxMessageDepth = 100

// Not z.json(): a body that was parsed is JSON already, and is kept as it is, whatever its keys are named.
export const messageContent = z
  .any()
  .refine((content) => content !== undefined, 'required')
  .describe('Content: any JSON, at most 64 KiB')
export const messageType = z.string().min(1).max(64).describe('Free-form type, e.g. text, image, announcement')

/** A message mentions at most this many users. */
export const maxMentions = 1_000

/** A message takes at most this many reactions: its events must fit into one message of the bus. */
export const maxReactions = 500
export const reactionName = z.string().min(1).max(64).describe('The reaction, e.g. an emoji')
const reaction = z.object({ client: userId, reaction: z.string() }).meta({ id: 'Reaction' })

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
  seq: z.number().int().min(1).meta({ 'x-extension': true }).describe('1, 2, 3… without holes in its room'),
  mentions: z.array(userId).optional().meta({ 'x-extension': true }),
  pinned: z.boolean().optional().meta({ 'x-extension': true }),
  clientMessageID: z.string().optional().meta({ 'x-extension': true }),
}

/** A message as it is read from the history and as it travels in events (interface.md, "Message"). */
export const message = z.object({ ...common, sender }).meta({ id: 'Message' })
export type Message = z.infer<typeof message>

/** A message as sending answers it: the sender is the plain user ID (interface.md, POST /messages). */
export const sentMessage = z.object({ ...common, sender: userId }).meta({ id: 'SentMessage' })
export type SentMessage = z.infer<typeof sentMessage>
