import { findMembershipsOfUser, unreadOf } from '@parley/db/memberships'
import { findRoomsByKey } from '@parley/db/rooms'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'

/**
 * The caller's total unread messages over all rooms (interface.md, GET /me/badge). Counts nothing: the
 * cost grows with the caller's rooms alone.
 */
export async function totalUnread(chat: Chat, caller: Pick<UserCaller, 'app' | 'user'>): Promise<number> {
  const memberships = await findMembershipsOfUser(chat.db, caller.app, caller.user)
  const rooms = new Map(
    (
      await findRoomsByKey(
        chat.db,
        memberships.map((membership) => membership.roomKey),
      )
    ).map((room) => [room._id, room]),
  )
  return memberships.reduce((sum, membership) => {
    const room = rooms.get(membership.roomKey)
    return room && !room.deletedAt ? sum + unreadOf(membership, room) : sum
  }, 0)
}
