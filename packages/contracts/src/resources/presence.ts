import { z } from 'zod'
import { timeMS, userId } from '../ids.ts'

/** Maximum number of users watched by a socket, and named in one call. */
export const maxWatchedUsers = 500

/** The personal preference that makes a user appear offline if true. */
export const hidePresencePref = 'hidePresence'

/** A user's presence, across all devices. */
export const userPresence = z.object({
  client: userId,
  state: z
    .enum(['online', 'away', 'offline', 'unknown'])
    .describe(
      'online: a connected device is not away. away: all connected devices are away. unknown: Redis is unavailable',
    ),
  online: z.boolean().optional().describe('Whether a device is connected (online or away); absent while unknown'),
  away: z.boolean().optional().describe('Whether the state is away; absent while unknown'),
  lastSeenMS: timeMS
    .optional()
    .describe(
      'Only offline: when the last device was connected. Absent for hidden users and users who never connected',
    ),
})
export type UserPresence = z.infer<typeof userPresence>
export const exampleUserPresence: UserPresence = { client: 'bob', state: 'online', online: true, away: false }
