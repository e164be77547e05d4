import { z } from 'zod'
import { userId } from '../ids.ts'

/** The summary of a user in messages and rooms (docs/reference/resources.md#sender). An erased user keeps the ID and has empty texts. */
export const sender = z
  .object({
    _id: userId,
    id: userId,
    nickname: z.string(),
    description: z.string(),
    avatarUrl: z.string(),
    isRobot: z.boolean().optional(),
    lastLoginTimeMS: z.number().describe('0 when the user never logged in'),
  })
  .meta({ id: 'Sender' })
export type Sender = z.infer<typeof sender>
