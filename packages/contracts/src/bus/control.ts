import { z } from 'zod'
import { roomId, userId } from '../ids.ts'

/** Users named in one order at most; more make several orders, each well under the bus' payload limit. */
export const maxUsersPerOrder = 1_000

/**
 * What every realtime node does at once for the sockets it holds of these users, and then confirms:
 * `joined` and `left` move them in and out of a room; `revoked` disconnects those that came by the
 * token digests named, or all of the user's.
 */
export const controlOrder = z.discriminatedUnion('do', [
  z.object({ do: z.literal('joined'), room: roomId, users: z.array(userId) }),
  z.object({ do: z.literal('left'), room: roomId, users: z.array(userId) }),
  z.object({ do: z.literal('revoked'), user: userId, tokens: z.array(z.string()).optional() }),
])
export type ControlOrder = z.infer<typeof controlOrder>

/** What a realtime node says of itself each second on `nodesSubject`. */
export const nodeAnnouncement = z.object({ node: z.string(), leaving: z.boolean().optional() })
