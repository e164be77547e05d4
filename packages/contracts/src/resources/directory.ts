import { z } from 'zod'
import { userId } from '../ids.ts'

/** The configuration key of the users that GET /users/search finds (docs/reference/users.md#find-users). */
export const directoryKey = 'directory'

/** The most users of one answer. */
export const maxFound = 50

/** The value of that key. */
export const directory = z.union([
  z.enum(['all', 'sharedRooms', 'off']),
  z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(2_048) }),
])
export type Directory = z.infer<typeof directory>

/** Asks the integrator's server which users a user finds. */
export const directoryCall = z.object({
  appID: z.string(),
  clientID: userId,
  event: z.literal('USER_SEARCH'),
  q: z.string(),
  limit: z.number().int(),
})
export type DirectoryCall = z.infer<typeof directoryCall>

/** The IDs of the users found, the best first. */
export const directoryAnswer = z.object({ data: z.array(userId).max(maxFound) })
