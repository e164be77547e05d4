import { z } from 'zod'
import { userId } from '../ids.ts'

/** Configuration key that sets which users GET /users/search finds (docs/reference/users.md#find-users). */
export const directoryKey = 'directory'

/** Maximum number of users in a result, and in a chat that a user starts. */
export const maxFound = 50

/** The value of that key. */
export const directory = z.union(
  [z.enum(['all', 'sharedRooms', 'off']), z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(2_048) })],
  'expected all, sharedRooms, off or an object with a url',
)
export type Directory = z.infer<typeof directory>

const asking = { appID: z.string(), clientID: userId }

/** Asks the integrator's server whom a user finds, or which of `members` the user may start a chat with. */
export const directoryCall = z.discriminatedUnion('event', [
  z.object({ ...asking, event: z.literal('USER_SEARCH'), q: z.string(), limit: z.number().int() }),
  z.object({ ...asking, event: z.literal('CHAT_START'), members: z.array(userId) }),
])
export type DirectoryCall = z.infer<typeof directoryCall>

/** IDs of the users found, best match first, or of the allowed `members`. */
export const directoryAnswer = z.object({ data: z.array(userId).max(maxFound) })
