import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../ids.ts'
import { ours } from '../ours.ts'

export const reportDecision = z.enum(['dismiss', 'delete', 'ban', 'erase'])
export type ReportDecision = z.infer<typeof reportDecision>

export const reportStatus = z.enum(['open', 'decided'])

/** The reports of one message together (docs/reference/moderation.md#reports). */
export const report = z
  .object({
    id: z.string(),
    status: reportStatus,
    messageID: messageId,
    room: roomId,
    sender: userId.describe('The sender of the message'),
    messageType: z.string(),
    message: z
      .unknown()
      .optional()
      .describe('The content when it was first reported; absent once it is decided, or its sender erased'),
    messageTimeMS: timeMS,
    count: z.number().int().describe('How many users reported it'),
    reasons: z
      .array(z.object({ client: userId, reason: z.string(), atMS: timeMS }))
      .describe('The latest 20, the latest first'),
    createdAtMS: timeMS.describe('Of the first report'),
    updatedAtMS: timeMS,
    decision: reportDecision.optional(),
    decidedAtMS: timeMS.optional(),
  })
  .meta({ id: 'Report', ...ours })
export type Report = z.infer<typeof report>
