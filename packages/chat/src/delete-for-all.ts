import type { Result } from '@parley/contracts/operation'
import { allMessages, type deleteForAll as operation } from '@parley/contracts/operations/deletions'
import { uncountDeleted } from '@parley/db/memberships'
import { countDeletedSince, deleteMessage, findMessage, isDeletedIn, newMessageId } from '@parley/db/messages'
import { markAllDeleted, type RoomDoc, takeRoomTime } from '@parley/db/rooms'
import { setSearchWords } from '@parley/db/search-texts'
import { inTransaction, type Session } from '@parley/db/transaction'
import { findUsersWhoDeleted } from '@parley/db/user-deletions'
import { publishChange, unknownMessage } from './change-message.ts'
import type { Chat } from './chat.ts'
import { publishAllDeleted } from './erase-messages.ts'
import { type Actor, findRole, requireRole } from './room-role.ts'

/** So long eraseMessages leaves the event to the request that deleted. */
const publishWithinMS = 2_000

/**
 * Deletes a message for everybody, or with `_all` every message that the room has now (decisions.md, "Messages").
 * The others' unread counts are right at once.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, INSUFFICIENT_PERMISSIONS, MESSAGE_NOT_FOUND
 */
export async function deleteForAll(
  chat: Chat,
  caller: Actor,
  roomId: string,
  messageId: string,
): Promise<Result<typeof operation>> {
  const deletedCount =
    messageId === allMessages ? await deleteAll(chat, caller, roomId) : await deleteOne(chat, caller, roomId, messageId)
  return {
    deletedCount,
    roomID: roomId,
    messageID: messageId,
    deletedBy: caller.user ?? null,
    deletedAt: new Date().toISOString(),
  }
}

async function deleteOne(chat: Chat, caller: Actor, roomId: string, messageId: string): Promise<1> {
  const { db } = chat
  const deleted = await inTransaction(db, async (session) => {
    const room = await requireModerator(chat, caller, roomId, session)
    const message = await findMessage(db, room._id, messageId, session)
    if (!message || isDeletedIn(message, room)) throw unknownMessage(messageId)
    // The room first: then sends wait for this, instead of making it start again.
    const updatedAtMS = await takeRoomTime(db, room, session)
    const uncounting = [message.sender, ...(await findUsersWhoDeleted(db, room._id, message, session))]
    await uncountDeleted(db, room, message.seq, uncounting, session)
    await setSearchWords(db, message, [], session)
    return deleteMessage(db, message, updatedAtMS, session)
  })
  publishChange(chat, { message: deleted, sender: undefined, event: 'messageDeleted' })
  return 1
}

/**
 * One write, whatever the length of the history: the room's mark makes every message up to it a stub that counts
 * for nobody, for all who read it from now on. eraseMessages brings the documents after.
 */
async function deleteAll(chat: Chat, caller: Actor, roomId: string): Promise<number> {
  const { db } = chat
  const { room, event, deletedCount } = await inTransaction(db, async (session) => {
    const found = await requireModerator(chat, caller, roomId, session)
    const before = found.deletedUpToSeq ?? 0
    const event_ = newMessageId()
    const count = found.seq - before - (await countDeletedSince(db, found, session))
    if (found.seq > before) {
      const doneUpToSeq = found.erasing?.doneUpToSeq ?? before
      const leaseUntilMS = Date.now() + publishWithinMS
      await markAllDeleted(db, found, { doneUpToSeq, leaseUntilMS, unpublished: event_ }, session)
    }
    return { room: found, event: event_, deletedCount: count }
  })
  if (room.seq > (room.deletedUpToSeq ?? 0)) await publishAllDeleted(chat, room, event)
  return deletedCount
}

/** The room, if the caller may delete the messages of others in it. */
async function requireModerator(chat: Chat, caller: Actor, roomId: string, session: Session): Promise<RoomDoc> {
  const { room, role } = await findRole(chat, caller, roomId, session)
  requireRole(role, 'manager', 'messages are deleted for all')
  return room
}
