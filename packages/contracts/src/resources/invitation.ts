import { z } from 'zod'
import { isoTime, roomId, userId } from '../ids.ts'
import { ours } from '../ours.ts'

/** An invitation to a group (docs/reference/rooms.md#members). */
export const invitation = z
  .object({
    _id: z.string(),
    inviter: z.string().describe('Inviting user; empty for the API key in a room without members'),
    invitee: userId,
    room: roomId,
    roomName: z.string().optional().describe('Name of the room; absent in a declined invitation'),
    createdAt: isoTime,
    updatedAt: isoTime,
  })
  .meta({ id: 'Invitation', ...ours })
export type Invitation = z.infer<typeof invitation>
