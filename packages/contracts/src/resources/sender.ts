import { z } from 'zod'
import { userId } from '../ids.ts'

/** Embedded user summary (interface.md, "Sender"). A user who was erased keeps the ID and has empty texts. */
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
