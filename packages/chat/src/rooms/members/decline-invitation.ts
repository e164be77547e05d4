import { ApiError } from '@parley/contracts/errors'
import type { Invitation } from '@parley/contracts/resources/invitation'
import { takeInvitation } from '@parley/db/rooms/invitations'
import type { UserCaller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'
import { toInvitationView } from '../../views/invitation.ts'

/** Deletes an invitation unused. @throws ApiError INVITATION_NOT_FOUND */
export async function declineInvitation(chat: Chat, { app, user }: UserCaller, room: string): Promise<Invitation> {
  const taken = await takeInvitation(chat.db, app, room, user)
  if (!taken) throw new ApiError('INVITATION_NOT_FOUND', `no invitation to ${JSON.stringify(room)} is open`)
  return toInvitationView(taken)
}
