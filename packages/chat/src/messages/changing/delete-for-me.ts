import { ApiError } from '@parley/contracts/errors'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import type { Session } from '@parley/db/connect'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findUserDeletions, insertUserDeletions, setDeletedUpTo } from '@parley/db/messages/user-deletions'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { lockRoom } from '@parley/db/rooms/lock-room'
import { currentMarker, setUncounted } from '@parley/db/rooms/memberships'
import { findThreadMember } from '@parley/db/threads/thread-members'
import type { UserCaller } from '../../access/caller.ts'
import { requireMemberOf } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { changeAndNotify } from '../../events/change-and-notify.ts'
import { notifyUser } from '../../events/event-builders.ts'
import { userOrderingKey } from '../../events/ordering-keys.ts'
import { unreadScope } from './uncount-messages.ts'

type Deleted = EventPayload<'userDeleteMessages'>

/**
 * Deletes messages of a room for the caller only, and notifies their devices (docs/reference/messages.md#delete).
 * Messages deleted before stay deleted.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND naming the unknown messages
 */
export async function deleteForMe(chat: Chat, caller: UserCaller, roomId: string, ids: string[]): Promise<Deleted> {
  const { db } = chat
  const { app, user } = caller
  const deleted = { room: roomId, messages: ids, isUserDeleteAllMessagesInRoom: false }
  await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    const taken = await lockRoom(db, app, roomId, session)
    const { room, membership } = await requireMemberOf(chat, caller, roomId, taken, session)
    const messages = await findMessages(db, ids, { app: room.app, room: room.id, session })
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

    for (const hidden of Map.groupBy(added, ({ roomKey }) => roomKey).values()) {
      await uncount(chat, user, { room, membership }, hidden, session)
    }
    notifyUser(pending, caller, 'userDeleteMessages', deleted)
  })
  return deleted
}

/** Stops counting messages of the room, or of one of its threads, as unread for the member. */
async function uncount(
  { db }: Chat,
  user: string,
  { room, membership }: { room: RoomDoc; membership: MembershipDoc },
  hidden: readonly MessageDoc[],
  session: Session,
): Promise<void> {
  const [first] = hidden
  if (!first) return
  const { members, counted } = await unreadScope(db, room, first, session)
  const { app, room: roomId, threadOf: root } = first
  const member =
    root === undefined ? membership : await findThreadMember(db, { app, room: roomId, root }, user, session)
  if (!member) return
  const { readSeq, uncounted } = currentMarker(member, counted)
  const unread = hidden.filter(({ seq, sender }) => seq > readSeq && sender !== user)
  const more = unread.filter((message) => !message.recalled && !isDeletedIn(message, room)).length
  if (more > 0) await setUncounted(members, member._id, { readSeq, uncounted: uncounted + more }, session)
}

/** Deletes the room's current messages for the caller only. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
export async function deleteAllForMe(chat: Chat, caller: UserCaller, roomId: string): Promise<Deleted> {
  const { db } = chat
  return changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    const taken = await lockRoom(db, caller.app, roomId, session)
    const { room, membership } = await requireMemberOf(chat, caller, roomId, taken, session)
    await setDeletedUpTo(db, caller.app, roomId, caller.user, room.seq, session)
    const { readSeq } = currentMarker(membership, room)
    await setUncounted(db.memberships, membership._id, { readSeq, uncounted: room.seq - readSeq }, session)
    const deleted = { room: roomId, messages: [], isUserDeleteAllMessagesInRoom: true, upToSeq: room.seq }
    notifyUser(pending, caller, 'userDeleteMessages', deleted)
    return deleted
  })
}
