import { ApiError } from '@parley/contracts/errors'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import { currentMarker, setReadMarker } from '@parley/db/memberships'
import { findMessagesOfRoom, isDeletedIn } from '@parley/db/messages'
import { inTransaction } from '@parley/db/transaction'
import { findUserDeletions, insertUserDeletions, setDeletedUpTo } from '@parley/db/user-deletions'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'
import { tellUser } from './tell-user.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>
type Deleted = EventPayload<'userDeleteMessages'>

/**
 * Deletes messages of a room for the caller alone and tells his devices (decisions.md, "Messages"). Those that
 * he deleted before stay deleted.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND naming the unknown messages
 */
export async function deleteForMe(chat: Chat, caller: Caller, roomId: string, ids: string[]): Promise<Deleted> {
  const { db } = chat
  const { app, user } = caller
  await inTransaction(db, async (session) => {
    const { room, membership } = await requireMember(chat, caller, roomId, session)
    const messages = await findMessagesOfRoom(db, room._id, ids, session)
    const known = new Set(messages.map((message) => message._id))
    const unknown = ids.filter((id) => !known.has(id))
    if (unknown.length > 0) {
      throw new ApiError(
        'MESSAGE_NOT_FOUND',
        `messages: not in the room: ${unknown.map((id) => JSON.stringify(id)).join(', ')}`,
      )
    }
    const before = await findUserDeletions(db, app, user, messages, session)
    const added = messages.filter((message) => !before.has(message._id))
    await insertUserDeletions(db, app, roomId, user, added, session)

    const { readSeq, uncounted } = currentMarker(membership, room)
    const counted = added.filter(
      (message) => message.seq > readSeq && message.sender !== user && !isDeletedIn(message, room),
    )
    if (counted.length > 0) {
      await setReadMarker(db, membership._id, { readSeq, uncounted: uncounted + counted.length }, session)
    }
  })
  return tellDevices(chat, caller, { room: roomId, messages: ids, isUserDeleteAllMessagesInRoom: false })
}

/**
 * Deletes every message that the room has now for the caller alone; costs the same whatever their number.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function deleteAllForMe(chat: Chat, caller: Caller, roomId: string): Promise<Deleted> {
  const { db } = chat
  await inTransaction(db, async (session) => {
    const { room, membership } = await requireMember(chat, caller, roomId, session)
    await setDeletedUpTo(db, caller.app, roomId, caller.user, room.seq, session)
    const { readSeq } = currentMarker(membership, room)
    await setReadMarker(db, membership._id, { readSeq, uncounted: room.seq - readSeq }, session)
  })
  return tellDevices(chat, caller, { room: roomId, messages: [], isUserDeleteAllMessagesInRoom: true })
}

async function tellDevices(chat: Chat, caller: Caller, deleted: Deleted): Promise<Deleted> {
  await tellUser(chat, caller, 'userDeleteMessages', deleted)
  return deleted
}
