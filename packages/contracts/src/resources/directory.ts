import { z } from 'zod'
import { userId } from '../ids.ts'

/** The configuration key of the users that GET /users/search finds (docs/reference/users.md#find-users). */
export const directoryKey = 'directory'

/** The most users of one answer, and of a chat that a user starts. */
export const maxFound = 50

/** The value of that key. */
export const directory = z.union([
  z.enum(['all', 'sharedRooms', 'off']),
  z.strictObject({ url: z.url({ protocol: /^https?$/ }).max(2_048) }),
])
export type Directory = z.infer<typeof directory>

const asking = { appID: z.string(), clientID: userId }

/** Asks the integrator's server which users a user finds, or which of these they may start a chat with. */
export const directoryCall = z.discriminatedUnion('event', [
  z.object({ ...asking, event: z.literal('USER_SEARCH'), q: z.string(), limit: z.number().int() }),
  z.object({ ...asking, event: z.literal('CHAT_START'), members: z.array(userId) }),
])
export type DirectoryCall = z.infer<typeof directoryCall>

/** The IDs of the users found, the best first, or of those with whom they may. */
export const directoryAnswer = z.object({ data: z.array(userId).max(maxFound) })
