import type { Room } from '@parley/contracts/resources/room'
import type { RoomDoc } from '@parley/db/rooms/rooms'
import { findUsers, type UserDoc } from '@parley/db/users/users'
import type { Caller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { toRoomView, toRoomViewFor } from '../views/room.ts'
import { justWritten } from './as-of-now.ts'
import type { Committed } from './change-and-notify.ts'

/**
 * Publishes the notes of a room's change; returns the Room as the caller sees it, when the sockets have been moved.
 * @param users the profiles of its first members, if the caller has them
 */
export async function publishRoom(
  chat: Chat,
  by: Caller,
  { value: room, noted }: Committed<RoomDoc>,
  users?: ReadonlyMap<string, UserDoc>,
): Promise<Room> {
  const profiles = users ?? (await findUsers(chat.db, room.app, room.firstMembers))
  await chat.outbox.publishOrders(noted, justWritten({ room: toRoomView(room, profiles) }))
  return toRoomViewFor(by, room, profiles)
}
