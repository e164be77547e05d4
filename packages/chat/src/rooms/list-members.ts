import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listMembers as operation } from '@parley/contracts/operations/rooms/members'
import { maxManagers } from '@parley/contracts/operations/rooms/rooms'
import type { Room } from '@parley/contracts/resources/room'
import { findMemberPage, findMembersAmong } from '@parley/db/rooms/room-members'
import { updateRoomDoc } from '@parley/db/rooms/rooms'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findUsers } from '@parley/db/users/users'
import { type Caller, userOf } from '../access/caller.ts'
import { findActingRole, findRole, requireRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom } from '../events/change-and-notify.ts'
import { roomChanged } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { toSenderView } from '../views/message.ts'

/** A page of a room's members, longest-standing first. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
export async function listMembers(
  chat: Chat,
  by: Caller,
  roomId: string,
  { skip, limit }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { room } = await inTransaction(chat.db, (session) => findRole(chat, by, roomId, session))
  const members = await findMemberPage(chat.db, room._id, skip, limit)
  const ids = members.map(({ user }) => user)
  const users = await findUsers(chat.db, by.app, ids)
  const read = room.deletedUpToSeq ?? 0
  return {
    totalCount: room.memberCount,
    data: members.map(({ user, deliveredSeq = 0, ...member }) => {
      const readSeq = Math.max(member.readSeq, read)
      const progress = { readSeq, deliveredSeq: Math.max(deliveredSeq, readSeq) }
      return Object.assign(toSenderView(user, users.get(user)), progress)
    }),
  }
}

/**
 * Makes a member a manager, or a manager a plain member.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS, CLIENT_NOT_FOUND,
 * INVALID_REQUEST for a direct room, or one manager too many
 */
export async function setMemberRole(
  chat: Chat,
  by: Caller,
  roomId: string,
  user: string,
  value: 'admin' | 'member',
): Promise<Room> {
  const changed = await commitChange(chat, roomOrderingKey(by.app, roomId), async (session, pending) => {
    const { room, role } = await findActingRole(chat, by, roomId, session)
    requireRole(role, 'owner', 'changing roles')
    if (room.roomType === 'direct') throw new ApiError('INVALID_REQUEST', 'id: a direct room has no managers')
    const members = await findMembersAmong(chat.db, room, [user], session)
    if (!members.has(user)) throw new ApiError('CLIENT_NOT_FOUND', `client: ${JSON.stringify(user)} is not a member`)
    const others = room.managers.filter((manager) => manager !== user)
    const managers = value === 'admin' && user !== room.owner ? [...others, user] : others
    if (managers.length > maxManagers) {
      throw new ApiError('INVALID_REQUEST', `value: a group has at most ${maxManagers} managers`)
    }
    const before = room.managers.includes(user) ? 'admin' : 'member'
    chat.audit?.addDetails({ before: { client: user, role: before }, after: { client: user, role: value } })
    roomChanged(pending, room, { by: userOf(by) })
    return updateRoomDoc(chat.db, room, { managers }, session)
  })
  return publishRoom(chat, by, changed)
}
