import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'

export const reportDecision = z.enum(['dismiss', 'delete', 'ban', 'erase'])
export type ReportDecision = z.infer<typeof reportDecision>

export const reportStatus = z.enum(['open', 'decided'])

/** All reports of one message (docs/reference/moderation.md#reports). */
export const report = z
  .object({
    id: z.string(),
    status: reportStatus,
    messageID: messageId,
    room: roomId,
    threadOf: messageId.optional(),
    sender: userId.describe('Sender of the message'),
    messageType: z.string(),
    message: z
      .unknown()
      .optional()
      .describe('Content when first reported; absent once the report is decided or the sender erased'),
    messageTimeMS: timeMS,
    count: z.number().int().describe('Number of users who reported it'),
    reasons: z
      .array(z.object({ client: userId, reason: z.string(), atMS: timeMS }))
      .describe('The latest 20, newest first'),
    createdAtMS: timeMS.describe('Time of the first report'),
    updatedAtMS: timeMS,
    decision: reportDecision.optional(),
    decidedAtMS: timeMS.optional(),
  })
  .meta({ id: 'Report', ...ours })
export type Report = z.infer<typeof report>
