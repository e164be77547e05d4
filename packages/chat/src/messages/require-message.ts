import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findRoomOfMessage, findSentMessage } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { inTransaction } from '@parley/db/transactions/transaction'
import { banInForce } from '@parley/db/users/app-bans'
import { findUser } from '@parley/db/users/users'
import type { Caller } from '../access/caller.ts'
import { findRole } from '../access/room-role.ts'
import { bannedFromApp, unknownUser } from '../users/user-errors.ts'

/** The ID of the room of a message. @throws ApiError MESSAGE_NOT_FOUND */
export async function requireRoomOfMessage(db: Db, app: string, id: string): Promise<string> {
  const room = await findRoomOfMessage(db, app, id)
  if (room === undefined) throw unknownMessage(id)
  return room
}

/** A message that is not deleted for everyone. @throws ApiError MESSAGE_NOT_FOUND */
export async function requireShown(db: Db, room: RoomDoc, id: string): Promise<MessageDoc> {
  const message = await findSentMessage(db, room._id, id)
  if (!message || isDeletedIn(message, room)) throw unknownMessage(id)
  return message
}

/**
 * A message that is not deleted for everyone and that the caller may read, with its room.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function requireReadable(db: Db, by: Caller, id: string): Promise<{ room: RoomDoc; message: MessageDoc }> {
  const roomId = await requireRoomOfMessage(db, by.app, id)
  const { room } = await inTransaction(db, (session) => findRole({ db }, by, roomId, session))
  return { room, message: await requireShown(db, room, id) }
}

export function unknownMessage(id: string): ApiError {
  return new ApiError('MESSAGE_NOT_FOUND', `no message ${JSON.stringify(id)}, or it was deleted`)
}

/** Requires a bot as the sender. @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS, USER_BANNED */
export async function requireRobot(db: Db, app: string, sender: string): Promise<void> {
  const found = await findUser(db, app, sender)
  if (!found) throw unknownUser('sender', sender)
  if (!found.isRobot) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'sender: only users with isRobot may stream')
  if (banInForce(found)) throw bannedFromApp(sender)
}
