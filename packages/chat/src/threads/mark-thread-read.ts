import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { markThreadRead as operation } from '@parley/contracts/operations/messages/threads'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { findMessage } from '@parley/db/messages/messages'
import { currentMarker, setReadMarker } from '@parley/db/rooms/memberships'
import { countedThread } from '@parley/db/threads/thread'
import { findThreadMember } from '@parley/db/threads/thread-members'
import { countUncountedAfter, sumOf } from '@parley/db/unread/uncounted'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { threadMarkerOrderingKey } from '../events/ordering-keys.ts'
import { findRoot, unreadInThread } from './thread.ts'

/**
 * Moves the caller's read marker in a thread to one of its messages, never backwards
 * (docs/reference/messages.md#threads). Their other devices get threadLastRead if it moves. Has no effect for users
 * outside the thread.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function markThreadRead(
  chat: Chat,
  caller: UserCaller,
  id: string,
  messageId: string,
  device?: string,
): Promise<Result<typeof operation>> {
  const { db } = chat
  const { root: found, room: of } = await findRoot(chat, caller, id)
  const threadOf = found._id
  const orderingKey = threadMarkerOrderingKey(caller.app, of.id, threadOf, caller.user)
  const unread = await changeAndNotify(chat, orderingKey, async (session, pending) => {
    const { room } = await requireMember(chat, caller, of.id, session)
    const [root = found] = await findMessages(db, [threadOf], { session })
    const thread = countedThread(root, room)
    const message = await findMessage(db, thread._id, messageId, session)
    if (!message) {
      throw new ApiError('MESSAGE_NOT_FOUND', `message: no message ${JSON.stringify(messageId)} in the thread`)
    }
    const member = await findThreadMember(db, { app: root.app, room: room.id, root: threadOf }, caller.user, session)
    if (!member) return 0
    const before = currentMarker(member, thread)
    const { seq } = message
    const after = async () => sumOf(await countUncountedAfter(db, member, seq, thread.seq, [], session))
    const hasMoved = seq > before.readSeq
    const marker = hasMoved ? { readSeq: seq, uncounted: await after() } : before
    await setReadMarker(db.threadMembers, member._id, marker, session)
    const left = unreadInThread(root, room, { ...member, ...marker })
    const payload = { roomID: room.id, threadOf, messageID: messageId, unread: left }
    if (hasMoved) notifyUser(pending, caller, 'threadLastRead', payload, device)
    return left
  })
  return { threadOf, unread }
}
