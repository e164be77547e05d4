import type { Invitation } from '@parley/contracts/resources/invitation'
import type { InvitationDoc } from '@parley/db/rooms/invitations'

export function toInvitationView({ id, inviter, invitee, room, createdAt, updatedAt }: InvitationDoc): Invitation {
  return {
    _id: id,
    inviter,
    invitee,
    room,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
