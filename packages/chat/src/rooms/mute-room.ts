import { ApiError } from '@parley/contracts/errors'
import type { AdminUser, User } from '@parley/contracts/resources/user'
import { isMuted } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import type { UserDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { toAdminUserView, toUserView } from '../views/user.ts'
import { applyPref } from './set-room-pref.ts'

/** Mutes or unmutes a room for the caller. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, ROOM_NOT_MUTED */
export async function muteMyRoom(
  chat: Chat,
  caller: UserCaller,
  roomId: string,
  muted: boolean,
  device?: string,
): Promise<User> {
  await requireMember(chat, caller, roomId)
  await setMuted(chat, caller, roomId, muted, device)
  return toUserView(chat.db, await requireUser(chat, caller))
}

/**
 * Adds a room to a user's mute list or removes it (docs/reference/rooms.md#preferences-and-mutes).
 * @throws ApiError CLIENT_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER when muting, ROOM_NOT_MUTED when unmuting
 */
export async function muteRoomOfUser(chat: Chat, of: UserCaller, roomId: string, muted: boolean): Promise<AdminUser> {
  const user = await requireUser(chat, of)
  const room = await findRoom(chat.db, of.app, roomId)
  if (!room || room.deletedAt) throw new ApiError('ROOM_NOT_FOUND', `room: no room ${JSON.stringify(roomId)}`)
  await setMuted(chat, of, roomId, muted)
  return toAdminUserView(chat.db, user)
}

async function requireUser(chat: Chat, { app, user }: UserCaller): Promise<UserDoc> {
  const found = await findUser(chat.db, app, user)
  if (!found) throw new ApiError('CLIENT_NOT_FOUND', `uid: no user ${JSON.stringify(user)}`)
  return found
}

/** Of concurrent unmutes, only one succeeds. */
async function setMuted(chat: Chat, of: UserCaller, room: string, muted: boolean, device?: string): Promise<void> {
  const refused = new ApiError('ROOM_NOT_MUTED', `room: ${JSON.stringify(room)} is not muted`)
  await applyPref(chat, of, room, { muted }, { device, ...(!muted && { where: isMuted, refused }) })
}
