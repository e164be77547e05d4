import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { setRoomPref as operation } from '@parley/contracts/operations/rooms/room-preferences'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import { type isMuted, updatePref } from '@parley/db/rooms/memberships'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { toPrefView } from '../views/room.ts'

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
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  return applyPref(chat, caller, roomId, given, { device })
}

/**
 * Changes a user's preferences for a room.
 * @param where their required current state; throws `refused` if it differs, or the user is not a member
 */
export async function applyPref(
  chat: Chat,
  caller: UserCaller,
  room: string,
  change: Partial<RoomPref>,
  {
    device,
    where,
    refused = new ApiError('NOT_ROOM_MEMBER', 'the user is not a member of the room'),
  }: { device?: string | undefined; where?: typeof isMuted; refused?: ApiError } = {},
): Promise<Result<typeof operation>> {
  return changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    const membership = await updatePref(chat.db, { ...caller, room }, change, session, where)
    if (!membership) throw refused
    chat.audit?.note({ after: { room, ...change } })
    const pref = { room, ...toPrefView(membership) }
    if (Object.keys(change).length > 0) notifyUser(pending, caller, 'roomPref', pref, device)
    return pref
  })
}
