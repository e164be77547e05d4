import { z } from 'zod'
import { timeMS, userId } from '../ids.ts'

/** The most users that a socket watches, and that one call names. */
export const maxWatchedUsers = 500

/** The personal preference that makes a user look offline, when its value is true. */
export const hidePresencePref = 'hidePresence'

/** Whether a user is connected. All devices of a user are one. */
export const userPresence = z.object({
  client: userId,
  state: z
    .enum(['online', 'away', 'offline', 'unknown'])
    .describe(
      'online: a device is connected and not away. away: all that are connected are. unknown: Redis cannot be asked now',
    ),
  online: z.boolean().optional().describe('Whether a device is connected: online or away. Absent while unknown'),
  away: z.boolean().optional().describe('Whether the state is away. Absent while unknown'),
  lastSeenMS: timeMS
    .optional()
    .describe(
      'Only when offline: when the last device was connected. Absent for hidden users, and for those who never connected',
    ),
})
export type UserPresence = z.infer<typeof userPresence>
export const exampleUserPresence: UserPresence = { client: 'bob', state: 'online', online: true, away: false }
