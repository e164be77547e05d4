import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { markThreadRead as operation } from '@parley/contracts/operations/messages/threads'
import { findMessage, findMessages } from '@parley/db/messages/messages'
import { currentMarker, setReadMarker } from '@parley/db/rooms/memberships'
import { countedThread } from '@parley/db/threads/thread'
import { findThreadMember } from '@parley/db/threads/thread-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { countUncountedAfter, sumOf } from '@parley/db/unread/uncounted'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { findRoot } from './find-thread.ts'
import { unreadInThread } from './unread-in-thread.ts'

/**
 * Moves the caller's read marker in a thread to one of its messages (docs/reference/messages.md#threads); never backwards.
 * Nothing changes for who takes no part.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function markThreadRead(
  chat: Chat,
  caller: UserCaller,
  id: string,
  messageId: string,
): Promise<Result<typeof operation>> {
  const { db } = chat
  const { root: found, room: of } = await findRoot(chat, caller, id)
  const threadOf = found._id
  const unread = await inTransaction(db, async (session) => {
    const { room } = await requireMember(chat, caller, of.id, session)
    const [root = found] = await findMessages(db, [threadOf], session)
    const thread = countedThread(root, room)
    const message = await findMessage(db, thread._id, messageId, session)
    if (!message) {
      throw new ApiError('MESSAGE_NOT_FOUND', `message: no message ${JSON.stringify(messageId)} in the thread`)
    }
    const member = await findThreadMember(db, { app: root.app, room: room.id, root: threadOf }, caller.user, session)
    if (!member) return 0
    const before = currentMarker(member, thread)
    const { seq } = message
    const after = async () => sumOf(await countUncountedAfter(db, member, seq, [], session))
    const marker = seq > before.readSeq ? { readSeq: seq, uncounted: await after() } : before
    await setReadMarker(db.threadMembers, member._id, marker, session)
    return unreadInThread(root, room, { ...member, ...marker })
  })
  return { threadOf, unread }
}
