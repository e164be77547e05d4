import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { updateRoom as operation } from '@parley/contracts/operations/room'
import type { Room } from '@parley/contracts/resources/room'
import { findMembersAmong } from '@parley/db/memberships'
import { type RoomDoc, updateRoomDoc } from '@parley/db/rooms'
import { inTransaction, type Session } from '@parley/db/transaction'
import { findUsers } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { publishRoom } from './create-room.ts'
import { type Actor, findRole, requireRole } from './room-role.ts'
import { showRoom } from './show-room.ts'

type Change = Input<typeof operation>['body']

/**
 * Changes a room and tells all its members (decisions.md, "Rooms and members").
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, INSUFFICIENT_PERMISSIONS, INVALID_REQUEST
 */
export async function updateRoom(chat: Chat, by: Actor, roomId: string, change: Change): Promise<Room> {
  const given = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Partial<RoomDoc>
  const after = await inTransaction(chat.db, async (session) => {
    const { room, role } = await findRole(chat, by, roomId, session)
    requireRole(role, 'manager', 'a room is changed')
    const { owner, managers, status } = given
    if (owner !== undefined || managers || status !== undefined) {
      requireRole(role, 'owner', 'owner, managers and status are changed')
    }
    if (owner !== undefined && room.roomType === 'direct') {
      throw new ApiError('INVALID_REQUEST', 'owner: a direct room has none')
    }
    await requireMembers(chat, room, 'owner', owner === undefined ? [] : [owner], session)
    await requireMembers(chat, room, 'managers', managers ?? [], session)
    return updateRoomDoc(chat.db, room, { ...given, ...(managers && { managers: [...new Set(managers)] }) }, session)
  })
  return tellRoom(chat, after)
}

/**
 * Deletes a room: it is gone from every list, and its members learn it by `room` with status 0.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, INSUFFICIENT_PERMISSIONS
 */
export async function deleteRoom(chat: Chat, by: Actor, roomId: string): Promise<Room> {
  const after = await inTransaction(chat.db, async (session) => {
    const { room, role } = await findRole(chat, by, roomId, session)
    requireRole(role, 'owner', 'a room is deleted')
    return updateRoomDoc(chat.db, room, { status: 0, deletedAt: new Date() }, session)
  })
  return tellRoom(chat, after)
}

/**
 * Makes a member a manager, or a manager a member.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, INSUFFICIENT_PERMISSIONS, CLIENT_NOT_FOUND
 */
export async function setMemberRole(
  chat: Chat,
  by: Actor,
  roomId: string,
  user: string,
  value: 'admin' | 'member',
): Promise<Room> {
  const after = await inTransaction(chat.db, async (session) => {
    const { room, role } = await findRole(chat, by, roomId, session)
    requireRole(role, 'owner', 'roles are changed')
    const members = await findMembersAmong(chat.db, room, [user], session)
    if (!members.has(user)) throw new ApiError('CLIENT_NOT_FOUND', `client: ${JSON.stringify(user)} is not a member`)
    const others = room.managers.filter((manager) => manager !== user)
    return updateRoomDoc(chat.db, room, { managers: value === 'admin' ? [...others, user] : others }, session)
  })
  return tellRoom(chat, after)
}

/** Tells all members what the room is now; answers it. */
export async function tellRoom(chat: Chat, room: RoomDoc): Promise<Room> {
  const shown = showRoom(room, await findUsers(chat.db, room.app, room.firstMembers))
  await publishRoom(chat, shown)
  return shown
}

async function requireMembers(
  chat: Chat,
  room: RoomDoc,
  field: string,
  users: readonly string[],
  session: Session,
): Promise<void> {
  const members = await findMembersAmong(chat.db, room, users, session)
  const others = users.filter((user) => !members.has(user)).map((user) => JSON.stringify(user))
  if (others.length > 0)
    throw new ApiError('INVALID_REQUEST', `${field}: not members of the room: ${others.join(', ')}`)
}
