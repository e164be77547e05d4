import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { markRead as operation } from '@parley/contracts/operations/rooms/read-markers'
import { findMessage, findMessageAt } from '@parley/db/messages/messages'
import { findRoomHeads } from '@parley/db/room-buffer/buffer'
import { currentMarker, setReadMarker, unreadOf } from '@parley/db/rooms/memberships'
import { countUncountedAfter, sumOf } from '@parley/db/unread/uncounted'
import { ownInBuffer } from '@parley/db/unread/unread-sums'
import type { UserCaller } from '../access/caller.ts'
import { requireMemberOf } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyLastRead } from '../events/event-builders.ts'
import { markerOrderingKey } from '../events/ordering-keys.ts'

/**
 * Moves the caller's read marker to a message, and emits lastRead with its position to all members
 * (docs/reference/unread.md#read-marker). The marker never moves backwards: an older message leaves it unchanged.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND
 */
export async function markRead(
  chat: Chat,
  caller: UserCaller,
  roomId: string,
  messageId: string,
): Promise<Result<typeof operation>> {
  const { app, user } = caller
  return changeAndNotify(chat, markerOrderingKey(app, roomId, user), async (session, pending) => {
    const found = await findRoomHeads(chat.db, app, roomId, session)
    const { room, membership } = await requireMemberOf(chat, caller, roomId, found, session)
    const { buffer = [] } = room
    const flushed = await findMessage(chat.db, room._id, messageId, session)
    // A message beyond the room's end belongs to an unfinished import.
    const message =
      buffer.find(({ _id }) => _id === messageId) ?? (flushed && flushed.seq <= room.seq ? flushed : undefined)
    const own = ownInBuffer(user, room)
    if (!message)
      throw new ApiError('MESSAGE_NOT_FOUND', `message: no message ${JSON.stringify(messageId)} in the room`)
    const before = currentMarker(membership, room)
    const marker =
      message.seq > before.readSeq
        ? {
            readSeq: message.seq,
            uncounted: sumOf(await countUncountedAfter(chat.db, membership, message.seq, room.seq, own, session)),
          }
        : before
    await setReadMarker(chat.db.memberships, membership._id, marker, session)
    const standsAt =
      marker.readSeq === message.seq
        ? messageId
        : (buffer.find(({ seq }) => seq === marker.readSeq)?._id ??
          (await findMessageAt(chat.db, room._id, marker.readSeq, session)))
    const payload = { roomID: roomId, memberID: user, messageID: standsAt ?? messageId }
    notifyLastRead(pending, { app, room: roomId }, payload)
    return { ...payload, unread: unreadOf({ ...membership, ...marker }, { ...room, own }) }
  })
}
