import { clock } from '@parley/async/clock'
import type { Result } from '@parley/contracts/operation'
import { allMessages, type deleteForAll as operation } from '@parley/contracts/operations/messages/deletions'
import type { Session } from '@parley/db/connect'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { changeMessage, stub } from '@parley/db/messages/change-messages'
import { countDeletedSince, isDeletedIn } from '@parley/db/messages/deleted-messages'
import { newId } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { markAllDeleted, markErasingPublished } from '@parley/db/rooms/erasing-rooms'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { advanceRoomClock, findRoom } from '@parley/db/rooms/rooms'
import { type Caller, userOf } from '../../access/caller.ts'
import { findActingRole, requireRole } from '../../access/room-role.ts'
import type { Chat } from '../../chat.ts'
import { commitChange } from '../../events/change-and-notify.ts'
import { justChanged, noDocs } from '../../events/current-docs.ts'
import { allDeleted, messageChanged } from '../../events/event-builders.ts'
import { messageOrderingKey, roomOrderingKey } from '../../events/ordering-keys.ts'
import { unknownMessage } from '../require-message.ts'
import { uncountMessages } from './uncount-messages.ts'

/** eraseMessages leaves publishing the event to the deleting request for this long. */
const publishWithinMS = 2_000

/**
 * Deletes a message for everyone, or with `_all` every current message of the room and its threads
 * (docs/reference/messages.md#delete). Unread counts of other members are correct at once.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS, MESSAGE_NOT_FOUND
 */
export async function deleteForAll(
  chat: Chat,
  caller: Caller,
  roomId: string,
  messageId: string,
): Promise<Result<typeof operation>> {
  const deletedCount =
    messageId === allMessages ? await deleteAll(chat, caller, roomId) : await deleteOne(chat, caller, roomId, messageId)
  return {
    deletedCount,
    roomID: roomId,
    messageID: messageId,
    deletedBy: userOf(caller) ?? null,
    deletedAt: clock.date().toISOString(),
  }
}

async function deleteOne(chat: Chat, caller: Caller, roomId: string, messageId: string): Promise<1> {
  const { db } = chat
  const { value, entries } = await commitChange(chat, messageOrderingKey(messageId), async (session, pending) => {
    await lockRoom(db, caller.app, roomId, session)
    const room = await requireModerator(chat, caller, roomId, session)
    const [message] = await findMessages(db, [messageId], { app: room.app, room: room.id, session })
    if (!message || isDeletedIn(message, room)) throw unknownMessage(messageId)
    // Taking the time locks the room, so that sends wait instead of restarting this transaction.
    const updatedAtMS = await advanceRoomClock(db, room, session)
    await uncountMessages(db, room, [message], session)
    const { room: of, sender, messageType } = message
    chat.audit?.addDetails({ before: { room: of, sender, messageType } })
    pending.push(messageChanged(message._id, 'messageDeleted', updatedAtMS, userOf(caller)))
    return { room, deleted: await changeMessage(db, message, stub, updatedAtMS, session) }
  })
  void chat.outbox.publishInRoom(value.room, entries, justChanged([value.deleted]))
  return 1
}

/**
 * A single write for a history of any length: from now on readers see every message up to the room's mark as a stub,
 * and none counts as unread. eraseMessages changes the documents later. `deletedCount` counts only the room's own
 * messages, not those of threads.
 */
async function deleteAll(chat: Chat, caller: Caller, roomId: string): Promise<number> {
  const { db } = chat
  const orderingKey = roomOrderingKey(caller.app, roomId)
  const { value, entries } = await commitChange(chat, orderingKey, async (session, pending) => {
    await lockRoom(db, caller.app, roomId, session)
    const room = await requireModerator(chat, caller, roomId, session)
    const before = room.deletedUpToSeq ?? 0
    const { lastThreadAtMS = 0, deletedUpToMS = 0 } = room
    const deletedCount = room.seq - before - (await countDeletedSince(db, room, session))
    chat.audit?.addDetails({ before: { messages: deletedCount } })
    if (room.seq === before && lastThreadAtMS <= deletedUpToMS) return { room, deletedCount, unpublished: undefined }
    const doneUpToSeq = room.erasing?.doneUpToSeq ?? before
    const leaseUntilMS = clock.now() + publishWithinMS
    const unpublished = newId()
    await markAllDeleted(db, room, { doneUpToSeq, leaseUntilMS, unpublished }, session)
    pending.push(allDeleted(room, unpublished, { upToSeq: room.seq, upToMS: room.clockMS }, userOf(caller)))
    return { room, deletedCount, unpublished }
  })
  const { room, deletedCount, unpublished } = value
  if ((await chat.outbox.publish(entries, noDocs)) && unpublished !== undefined) {
    await markErasingPublished(db, room._id, unpublished)
  }
  return deletedCount
}

/** The room, if the caller may delete others' messages in it. */
async function requireModerator(chat: Chat, caller: Caller, roomId: string, session: Session): Promise<RoomDoc> {
  const { room, role } = await findActingRole(chat, caller, roomId, session, findRoom)
  requireRole(role, 'manager', 'deleting messages for everyone')
  return room
}
