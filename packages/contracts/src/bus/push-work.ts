import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { pushPayload } from '../resources/push/payload.ts'

/** At most this many users per push; for more there are several pushes. */
export const maxClientsPerPush = 1_000

/** POST /push/push2clients on its way to the push service, with groups expanded. */
export const clientsPush = z.object({
  /** ID of the push, which is made once even if it arrives twice. */
  id: z.string(),
  clients: z.array(userId),
  payload: pushPayload,
  /** Instead of the clients and the payload: a message that is pushed as if it had just been sent. */
  message: z.object({ room: roomId, id: messageId }).optional(),
  /** Instead of them: a message of which a user is reminded, since this time. */
  reminder: z.object({ user: userId, room: roomId, id: messageId, atMS: z.number().int() }).optional(),
  /** Instead of them: a device whose connection was half open, with the time of its last sign of life. */
  missed: z.object({ user: userId, device: z.string(), sinceMS: z.number().int() }).optional(),
  request: z.string().optional(),
})
export type ClientsPush = z.infer<typeof clientsPush>

/** A change names at most this many members; for more there are several changes. */
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
