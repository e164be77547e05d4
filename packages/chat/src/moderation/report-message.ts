import { ApiError } from '@parley/contracts/errors'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import { findRoomOfMessage, findSentMessage, newId } from '@parley/db/messages/messages'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { addReport, forgetReporter } from '@parley/db/moderation/reports'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { unknownMessage } from '../messages/changing/change-message.ts'

/**
 * Reports a message that the caller can see to the app's moderators (docs/reference/moderation.md#reports). A second
 * report by the same user changes nothing.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER; USER_BLOCKED for a caller banned in the group
 */
export async function reportMessage(
  chat: Chat,
  caller: UserCaller,
  id: string,
  reason: string,
): Promise<Record<string, never>> {
  const { db } = chat
  const { app, user } = caller
  const roomId = await findRoomOfMessage(db, app, id)
  if (roomId === undefined) throw unknownMessage(id)
  const { room, membership } = await requireMember(chat, caller, roomId)
  const message = await findSentMessage(db, room._id, id)
  if (!message || isDeletedIn(message, room)) throw unknownMessage(id)
  if ((await findUserDeletions(db, app, user, [message])).has(id)) throw unknownMessage(id)
  // In a direct room the other user may have blocked the caller, which must not prevent a report.
  if (isBlocked(membership) && room.roomType === 'group') throw new ApiError('USER_BLOCKED')
  const { content: _content, ...withoutText } = message
  const isErased = !(await findUsers(db, app, [message.sender])).has(message.sender)
  await addReport(db, isErased ? withoutText : message, { id: newId(), user, reason })
  // If a user was erased meanwhile, the erasure may have missed this report, so their data is removed here.
  const concerned = [user, message.sender]
  const there = await findUsers(db, app, concerned)
  for (const gone of concerned) if (!there.has(gone)) await forgetReporter(db, app, gone)
  return {}
}
