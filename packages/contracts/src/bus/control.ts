import { z } from 'zod'
import { roomId, userId } from '../ids.ts'

/** A command names at most this many users, so that it is well under the payload limit of the bus. */
export const maxUsersPerCommand = 1_000

/** ID of a command, which a node carries out once even if it arrives twice. */
const id = z.string().optional()

/**
 * A command that every realtime node applies to its sockets of these users and then confirms: `joined` and `left` move
 * them in and out of a room; `revoked` disconnects sockets that authenticated with the named token digests;
 * `appDeleted` disconnects the whole app.
 */
export const nodeCommand = z.discriminatedUnion('do', [
  z.object({ do: z.literal('joined'), id, room: roomId, users: z.array(userId) }),
  z.object({ do: z.literal('left'), id, room: roomId, users: z.array(userId) }),
  z.object({
    do: z.literal('revoked'),
    id,
    user: userId,
    tokens: z.array(z.string()),
    because: z.literal('banned').optional(),
    /** The sockets of the tokens stay, and belong to this one. */
    renewedBy: z.object({ token: z.string(), expiresAtMS: z.number().int() }).optional(),
  }),
  z.object({ do: z.literal('appDeleted'), id }),
])
export type NodeCommand = z.infer<typeof nodeCommand>

/** The message of a control subject: one command, or several that are applied in turn and confirmed once. */
export const controlMessage = z.union([
  nodeCommand,
  z.object({ do: z.literal('several'), commands: z.array(nodeCommand) }),
])
export type ControlMessage = z.infer<typeof controlMessage>

/** Announced each second by realtime nodes on `nodesSubject` and by gateways on `gatewaysSubject`. */
export const nodeAnnouncement = z.object({
  node: z.string(),
  leaving: z.boolean().optional(),
  /**
   * Redis has every user with a socket on the node, or about to get one into rooms, so membership changes need not wait
   * for a node that holds none of the users.
   */
  registers: z.boolean().optional(),
  /** Of this run of the process, unlike that of any other. */
  run: z.string().optional(),
  /** The next one of the run has the next number; or the same, if it is not certain that NATS took this one. */
  number: z.number().int().optional(),
})
export type NodeAnnouncement = z.infer<typeof nodeAnnouncement>
