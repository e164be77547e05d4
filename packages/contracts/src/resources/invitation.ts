import { z } from 'zod'
import { isoTime, roomId, userId } from '../ids.ts'

/** An invitation to a group (decisions.md, "Rooms and members"). */
export const invitation = z
  .object({ _id: z.string(), inviter: userId, invitee: userId, room: roomId, createdAt: isoTime, updatedAt: isoTime })
  .meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof invitation>
