import { z } from 'zod'
import { userId } from '../ids.ts'

/** A user summary in messages and rooms (docs/reference/resources.md#sender). Of erased users, only the ID remains. */
export const sender = z
  .object({
    _id: userId,
    id: userId,
    nickname: z.string(),
    description: z.string(),
    avatarUrl: z.string(),
    isRobot: z.boolean().optional(),
    lastLoginTimeMS: z.number().describe('0 if the user never logged in'),
  })
  .meta({ id: 'Sender' })
export type Sender = z.infer<typeof sender>
