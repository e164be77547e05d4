import type { Invitation } from '@parley/contracts/resources/invitation'
import type { InvitationDoc } from '@parley/db/rooms/documents'

/** @param roomName of the room, which the invitee may not read yet */
export function toInvitationView(
  { id, inviter, invitee, room, createdAt, updatedAt }: InvitationDoc,
  roomName?: string,
): Invitation {
  return {
    _id: id,
    inviter,
    invitee,
    room,
    ...(roomName !== undefined && { roomName }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
