import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'
import { attachment } from './file.ts'
import { expiresInS } from './message.ts'

export const sendAtMS = timeMS.describe('When to send: a future time, within a year')

/** A scheduled message (docs/reference/messages.md#send-later). */
export const scheduledMessage = z
  .object({
    id: z.string(),
    room: roomId,
    sender: userId,
    message: z.unknown(),
    messageType: z.string(),
    mentions: z.array(userId).optional(),
    clientMessageID: z.string().optional(),
    attachments: z.array(attachment).optional().describe('Files, which are kept until it is sent'),
    replyTo: messageId.optional(),
    thread: z.boolean().optional(),
    expiresInS: expiresInS.optional().describe('Seconds from the send'),
    sendAtMS: timeMS,
    createdAtMS: timeMS,
    refused: z
      .object({ code: z.string(), message: z.string(), atMS: timeMS })
      .optional()
      .describe('Why it was not sent when due; absent while pending'),
  })
  .meta({ id: 'ScheduledMessage', ...ours })
export type ScheduledMessage = z.infer<typeof scheduledMessage>
