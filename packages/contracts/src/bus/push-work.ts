import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { pushPayload } from '../resources/push/payload.ts'

/** Users per push. Larger audiences are split. */
export const maxClientsPerPush = 1_000

/** A POST /push/push2clients call queued for the push service, with groups expanded. */
export const clientsPush = z.object({
  /** Push ID, for deduplication. */
  id: z.string(),
  clients: z.array(userId),
  payload: pushPayload,
  /** Instead of clients and payload: a message to push as if it had just been sent. */
  message: z.object({ room: roomId, id: messageId }).optional(),
  /** Instead of clients and payload: a reminder of a message, due at `atMS`. */
  reminder: z.object({ user: userId, room: roomId, id: messageId, atMS: z.number().int() }).optional(),
  /** Instead of clients and payload: a device with a half-open connection, last seen at `sinceMS`. */
  missed: z.object({ user: userId, device: z.string(), sinceMS: z.number().int() }).optional(),
  request: z.string().optional(),
})
export type ClientsPush = z.infer<typeof clientsPush>

/** Members per change. Larger changes are split. */
export const maxMembersPerChange = 1_000

/** `JOIN_ROOM`: `sender` joined. `ADD_MEMBERS`, `DELETE_MEMBERS`: `sender` added others, or removed them or themselves. */
export const membersChange = z.object({
  id: z.string(),
  event: z.enum(['JOIN_ROOM', 'ADD_MEMBERS', 'DELETE_MEMBERS']),
  room: roomId,
  /** The acting user; absent for an API key. */
  sender: userId.optional(),
  members: z.array(userId),
  request: z.string().optional(),
})
export type MembersChange = z.infer<typeof membersChange>
