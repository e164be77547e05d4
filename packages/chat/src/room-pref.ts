import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { setRoomPref as operation } from '@parley/contracts/operations/mutes'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { AdminUser, User } from '@parley/contracts/resources/user'
import { findMembership, updatePref } from '@parley/db/memberships'
import { findRoom } from '@parley/db/rooms'
import { findUser, type UserDoc } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'
import { showPref } from './show-room.ts'
import { showAdminUser, showUser } from './show-user.ts'
import { tellUser } from './tell-user.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>

/**
 * Changes the caller's preferences for a room and tells his other devices (decisions.md, "Rooms and members").
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function setRoomPref(
  chat: Chat,
  caller: Caller,
  roomId: string,
  change: Input<typeof operation>['body'],
  device?: string,
): Promise<Result<typeof operation>> {
  await requireMember(chat, caller, roomId)
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return applyPref(chat, caller, roomId, given, device)
}

/** Mutes or unmutes a room of the caller. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, ROOM_NOT_MUTED */
export async function muteMyRoom(
  chat: Chat,
  caller: Caller,
  roomId: string,
  muted: boolean,
  device?: string,
): Promise<User> {
  const { membership } = await requireMember(chat, caller, roomId)
  if (!muted && membership.pref?.muted !== true) throw notMuted(roomId)
  await applyPref(chat, caller, roomId, { muted }, device)
  return showUser(chat.db, await requireUser(chat, caller))
}

/**
 * Puts a room into a user's mute list or takes it out (interface.md, DELETE /admin/clients/{uid}/mute/{room}).
 * @throws ApiError CLIENT_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER when muting, ROOM_NOT_MUTED when unmuting
 */
export async function muteRoomOfUser(chat: Chat, of: Caller, roomId: string, muted: boolean): Promise<AdminUser> {
  const user = await requireUser(chat, of)
  const room = await findRoom(chat.db, of.app, roomId)
  if (!room || room.deletedAt) throw new ApiError('ROOM_NOT_FOUND', `room: no room ${JSON.stringify(roomId)}`)
  const membership = await findMembership(chat.db, of.app, roomId, of.user)
  if (!muted && membership?.pref?.muted !== true) throw notMuted(roomId)
  if (!membership) throw new ApiError('NOT_ROOM_MEMBER', 'the user is not a member of the room')
  await applyPref(chat, of, roomId, { muted })
  return showAdminUser(chat.db, user)
}

async function applyPref(
  chat: Chat,
  caller: Caller,
  room: string,
  change: Partial<RoomPref>,
  device?: string,
): Promise<Result<typeof operation>> {
  const membership = await updatePref(chat.db, caller.app, room, caller.user, change)
  if (!membership) throw new ApiError('NOT_ROOM_MEMBER', 'the caller is not a member of the room')
  const pref = { room, ...showPref(membership) }
  if (Object.keys(change).length > 0) await tellUser(chat, caller, 'roomPref', pref, device)
  return pref
}

async function requireUser(chat: Chat, { app, user }: Caller): Promise<UserDoc> {
  const found = await findUser(chat.db, app, user)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `uid: no user ${JSON.stringify(user)}`)
  return found
}

function notMuted(room: string): ApiError {
  return new ApiError('ROOM_NOT_MUTED', `room: ${JSON.stringify(room)} is not muted`)
}
