import { z } from 'zod'
import { roomId, userId } from '../ids.ts'

/** Users per command. Keeps commands well below the payload limit of NATS. */
export const maxUsersPerCommand = 1_000

/** Command ID. A node applies a redelivered command once. */
const id = z.string().optional()

/**
 * A command that every realtime node applies to its sockets of these users and then confirms: `joined` and `left` move
 * them in and out of a room; `revoked` disconnects sockets that authenticated with the named token digests;
 * `appDeleted` disconnects the whole app; `configChanged` and `profileChanged` only make
 * caches stale, as `revoked` and `appDeleted` do.
 */
export const nodeCommand = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('joined'),
    id,
    room: roomId,
    users: z.array(userId),
    /** Messages accepted later are for them (Unix milliseconds, by the room's clock). */
    afterMS: z.number(),
  }),
  z.object({ do: z.literal('left'), id, room: roomId, users: z.array(userId) }),
  z.object({
    do: z.literal('revoked'),
    id,
    user: userId,
    tokens: z.array(z.string()),
    because: z.literal('banned').optional(),
    /** The tokens' sockets stay connected and switch to this token. */
    renewedBy: z.object({ token: z.string(), expiresAtMS: z.number().int() }).optional(),
  }),
  z.object({ do: z.literal('appDeleted'), id }),
  z.object({ do: z.literal('configChanged'), id }),
  z.object({ do: z.literal('profileChanged'), id, user: userId }),
])
export type NodeCommand = z.infer<typeof nodeCommand>

type Move = Extract<NodeCommand, { users: string[] }>
/** A command that makes cached tokens, configuration or profiles stale. */
export type StaleCommand = Exclude<NodeCommand, Move>

export function isMove(command: NodeCommand): command is Move {
  return command.do === 'joined' || command.do === 'left'
}

/** The message of a control subject: one command, or several that are applied in order and confirmed once. */
export const controlMessage = z.union([
  nodeCommand,
  z.object({ do: z.literal('several'), commands: z.array(nodeCommand) }),
])
export type ControlMessage = z.infer<typeof controlMessage>

/** Announced periodically by realtime nodes on `nodesSubject` and by processes that cache on `cachingSubject`. */
export const nodeAnnouncement = z.object({
  node: z.string(),
  leaving: z.boolean().optional(),
  /** A node registers users in Redis before sockets join rooms, so changes need not wait for nodes without them. */
  registers: z.boolean().optional(),
  /** Unique per run of the process. */
  run: z.string().optional(),
  /** Counts the announcements of a run. Repeated if NATS may not have received the last one. */
  number: z.number().int().optional(),
})
export type NodeAnnouncement = z.infer<typeof nodeAnnouncement>
