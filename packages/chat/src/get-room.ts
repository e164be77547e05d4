import type { Input, Result } from '@parley/contracts/operation'
import type { listMembers as operation } from '@parley/contracts/operations/members'
import type { Room } from '@parley/contracts/resources/room'
import { findMemberPage } from '@parley/db/memberships'
import { findMessage } from '@parley/db/messages'
import { inTransaction } from '@parley/db/transaction'
import { findUsers } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'
import { type Actor, findRole } from './room-role.ts'
import { showSender } from './show-message.ts'
import { showRoomTo } from './show-room.ts'

/**
 * A room as one of its members sees it (decisions.md, "Rooms and members").
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function getRoom(chat: Chat, caller: Pick<UserCaller, 'app' | 'user'>, roomId: string): Promise<Room> {
  const { room, membership } = await requireMember(chat, caller, roomId)
  const last = room.lastMessageID === undefined ? null : await findMessage(chat.db, room._id, room.lastMessageID)
  const users = await findUsers(chat.db, caller.app, [...room.firstMembers, ...(last ? [last.sender] : [])])
  return showRoomTo(membership, room, users, last ?? undefined)
}

/**
 * A page of the members of a room, those who came first come first.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function listMembers(
  chat: Chat,
  by: Actor,
  roomId: string,
  { skip, limit }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { room } = await inTransaction(chat.db, (session) => findRole(chat, by, roomId, session))
  const members = await findMemberPage(chat.db, room._id, skip, limit)
  const users = await findUsers(chat.db, by.app, members)
  return { totalCount: room.memberCount, data: members.map((id) => showSender(id, users.get(id))) }
}
