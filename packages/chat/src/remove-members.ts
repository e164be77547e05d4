import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { removeMembers as operation } from '@parley/contracts/operations/members'
import { maxMembersShown, type Room } from '@parley/contracts/resources/room'
import { findMembersAmong, removeMembers as removeFrom } from '@parley/db/memberships'
import type { RoomDoc } from '@parley/db/rooms'
import { inTransaction, type Session } from '@parley/db/transaction'
import type { Chat } from './chat.ts'
import { controlMembers } from './control-users.ts'
import { type Actor, findRole, requireRole } from './room-role.ts'
import { writeSystemMessage } from './system-message.ts'
import { tellMembersChange } from './tell-members-change.ts'
import { tellRoom } from './update-room.ts'

/**
 * Takes members out of a group, or oneself (decisions.md, "Rooms and members"). When this settles their sockets
 * receive nothing of the room any more, on any node; those left learn it by `room`.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, INSUFFICIENT_PERMISSIONS, CLIENT_NOT_FOUND naming who is no member,
 *   INVALID_REQUEST for a direct room
 */
export async function removeMembers(
  chat: Chat,
  by: Actor,
  roomId: string,
  request: Input<typeof operation>['body'],
): Promise<Room> {
  const { app, user } = by
  const members = [...new Set(request.members)]
  const isLeaving = members.length === 1 && members[0] === user
  if (request.systemMessage === true) {
    const { room, sender } = await inTransaction(chat.db, async (session) => {
      const checked = await check(chat, by, roomId, members, session)
      return { room: checked, sender: await speaker(chat, checked, user, members, session) }
    })
    // Before they leave: it is the last that they see of the room, and who leaves can only send it now.
    await writeSystemMessage(chat, room, isLeaving ? 'leaveRoom' : 'deleteMember', sender, members)
  }
  const { room, removed } = await inTransaction(chat.db, async (session) => {
    const before = await check(chat, by, roomId, members, session)
    return removeFrom(chat.db, before, members, maxMembersShown, session)
  })
  await controlMembers(chat, app, 'left', roomId, removed)
  const shown = await tellRoom(chat, room)
  await tellMembersChange(chat, app, { event: 'DELETE_MEMBERS', room: roomId, sender: user, members: removed })
  return shown
}

async function check(
  chat: Chat,
  by: Actor,
  roomId: string,
  members: readonly string[],
  session: Session,
): Promise<RoomDoc> {
  const { room, role } = await findRole(chat, by, roomId, session)
  if (room.roomType === 'direct') throw new ApiError('INVALID_REQUEST', 'id: a direct room has exactly two members')
  if (members.some((member) => member !== by.user)) requireRole(role, 'manager', 'others are taken out')
  if (role === 'manager' && members.some((member) => member === room.owner)) {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'members: a manager cannot take out the owner')
  }
  const known = await findMembersAmong(chat.db, room, members, session)
  const others = members.filter((member) => !known.has(member)).map((member) => JSON.stringify(member))
  if (others.length > 0) throw new ApiError('CLIENT_NOT_FOUND', `members: not in the room: ${others.join(', ')}`)
  return room
}

async function speaker(
  chat: Chat,
  room: RoomDoc,
  user: string | undefined,
  members: readonly string[],
  session: Session,
): Promise<string> {
  if (user !== undefined && (await findMembersAmong(chat.db, room, [user], session)).has(user)) return user
  return members[0] ?? ''
}
