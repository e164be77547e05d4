import { ApiError } from '@parley/contracts/errors'
import { findMembership, type MembershipDoc } from '@parley/db/memberships'
import { findRoom, type RoomDoc } from '@parley/db/rooms'
import type { Session } from '@parley/db/transaction'
import type { Chat } from './chat.ts'

/**
 * The room and the caller's membership of it.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function requireMember(
  chat: Chat,
  caller: { app: string; user: string },
  roomId: string,
  session?: Session,
): Promise<{ room: RoomDoc; membership: MembershipDoc }> {
  const room = await findRoom(chat.db, caller.app, roomId, session)
  if (!room || room.deletedAt) throw new ApiError('ROOM_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
  const membership = await findMembership(chat.db, caller.app, roomId, caller.user, session)
  if (!membership) throw new ApiError('NOT_ROOM_MEMBER', 'the caller is not a member of the room')
  return { room, membership }
}
