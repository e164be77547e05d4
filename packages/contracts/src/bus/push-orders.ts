import { z } from 'zod'
import { roomId, userId } from '../ids.ts'
import { pushPayload } from '../resources/push-payload.ts'

/** Users named in one order at most; more make several orders. */
export const maxClientsPerOrder = 5_000

/** POST /push/push2clients on its way to the push service; groups are expanded already. */
export const pushToClientsOrder = z.object({
  /** Names the order: one that comes twice is carried out once. */
  id: z.string(),
  clients: z.array(userId),
  payload: pushPayload,
  request: z.string().optional(),
})
export type PushToClientsOrder = z.infer<typeof pushToClientsOrder>

/** `JOIN_ROOM`: `sender` came by himself. `ADD_MEMBERS`, `DELETE_MEMBERS`: he brought others in, or took them or himself out. */
export const membersChange = z.object({
  id: z.string(),
  event: z.enum(['JOIN_ROOM', 'ADD_MEMBERS', 'DELETE_MEMBERS']),
  room: roomId,
  /** Who did it; absent when it was the API key. */
  sender: userId.optional(),
  members: z.array(userId),
  request: z.string().optional(),
})
export type MembersChange = z.infer<typeof membersChange>
