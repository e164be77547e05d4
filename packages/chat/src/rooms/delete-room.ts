import { clock } from '@parley/async/clock'
import type { Room } from '@parley/contracts/resources/room'
import { queueRoomToClear } from '@parley/db/files/files-to-clear'
import { updateRoomDoc } from '@parley/db/rooms/rooms'
import { type Caller, userOf } from '../access/caller.ts'
import { findActingRole, requireRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom } from '../events/change-and-notify.ts'
import { roomChanged } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'

/**
 * Deletes a room: it disappears from every list, its members get `room` with status 0, and files sent to it are
 * removed.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS
 */
export async function deleteRoom(chat: Chat, by: Caller, roomId: string): Promise<Room> {
  const changed = await commitChange(chat, roomOrderingKey(by.app, roomId), async (session, pending) => {
    const { room, role } = await findActingRole(chat, by, roomId, session)
    requireRole(role, 'owner', 'deleting a room')
    chat.audit?.addDetails({ before: { name: room.name, memberCount: room.memberCount, owner: room.owner } })
    roomChanged(pending, room, { by: userOf(by) })
    await queueRoomToClear(chat.db, room, session)
    return updateRoomDoc(chat.db, room, { status: 0, deletedAt: clock.date() }, session)
  })
  return publishRoom(chat, by, changed)
}
