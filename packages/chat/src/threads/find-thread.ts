import type { MessageDoc } from '@parley/db/messages/documents'
import { findMessages, findRoomOfMessage, findSentMessage } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { unknownMessage } from '../messages/changing/change-message.ts'

/**
 * The message that a thread is about, and its room, by the ID of the message or of one of the thread.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function findRoot(
  chat: Chat,
  caller: UserCaller,
  id: string,
): Promise<{ room: RoomDoc; root: MessageDoc }> {
  const { db } = chat
  const roomId = await findRoomOfMessage(db, caller.app, id)
  if (roomId === undefined) throw unknownMessage(id)
  const { room } = await requireMember(chat, caller, roomId)
  const named = await findSentMessage(db, room._id, id)
  if (!named) throw unknownMessage(id)
  const [root = named] = named.threadOf === undefined ? [] : await findMessages(db, [named.threadOf])
  return { room, root }
}
