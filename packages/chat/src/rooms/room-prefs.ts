import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { setRoomPref as operation } from '@parley/contracts/operations/rooms/room-preferences'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { AdminUser, User } from '@parley/contracts/resources/user'
import { findMembership, isMuted, updatePref } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import type { UserDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import { changedFields } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { unknownUser } from '../users/user-errors.ts'
import { toPrefView } from '../views/room.ts'
import { toAdminUserView, toUserView } from '../views/user.ts'

/**
 * Changes the caller's preferences for a room and notifies their other devices (docs/reference/rooms.md#preferences-and-mutes).
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function setRoomPref(
  chat: Chat,
  caller: UserCaller,
  roomId: string,
  change: Input<typeof operation>['body'],
  device?: string,
): Promise<Result<typeof operation>> {
  await requireMember(chat, caller, roomId)
  const given = defined(change)
  return applyPref(chat, caller, roomId, given, { device })
}

/**
 * Changes a user's preferences for a room.
 * @param where their required current state; throws `refused` if it differs, or the user is not a member
 */
async function applyPref(
  chat: Chat,
  caller: UserCaller,
  room: string,
  change: Partial<RoomPref>,
  {
    device,
    where,
    refused = new ApiError('NOT_ROOM_MEMBER', 'the user is not a member of the room'),
  }: { device?: string | undefined; where?: typeof isMuted; refused?: ApiError },
): Promise<Result<typeof operation>> {
  return changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    const known = chat.audit && (await findMembership(chat.db, caller.app, room, caller.user, session))
    const membership = await updatePref(chat.db, { ...caller, room }, change, session, where)
    if (!membership) throw refused
    if (known) {
      const { before, after } = changedFields(toPrefView(known), change, [])
      chat.audit?.addDetails({ before: { room, ...before }, after: { room, ...after } })
    }
    const pref = { room, ...toPrefView(membership) }
    if (Object.keys(change).length > 0) notifyUser(pending, caller, 'roomPref', pref, device)
    return pref
  })
}

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
  if (!found) throw unknownUser('uid', user)
  return found
}

/** Of concurrent unmutes, only one succeeds. */
async function setMuted(chat: Chat, of: UserCaller, room: string, muted: boolean, device?: string): Promise<void> {
  const refused = new ApiError('ROOM_NOT_MUTED', `room: ${JSON.stringify(room)} is not muted`)
  await applyPref(chat, of, room, { muted }, { device, ...(!muted && { where: isMuted, refused }) })
}
