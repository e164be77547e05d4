import { findMessages } from '@parley/db/message-buckets/find-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { readThreadHistory } from '@parley/db/messages/history'
import { findMessage } from '@parley/db/messages/messages'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { findMembership } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import { lengthOf, threadKey } from '@parley/db/threads/thread'
import { findThreadMember } from '@parley/db/threads/thread-members'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import { findSenders } from '@parley/db/users/users'
import { type Caller, userOf } from '../access/caller.ts'
import { checkMember, checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { type HistoryQuery, historyPage, pageStart, toPageSize } from '../messages/reading/history-page.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { messageJson } from '../views/message.ts'
import { findRoot, unreadInThread } from './thread.ts'

/**
 * A page of a message's thread, with the caller's unread count (docs/reference/messages.md#threads). The cost does not
 * grow with the thread.
 * @throws ApiError MESSAGE_NOT_FOUND, ROOM_NOT_FOUND, NOT_ROOM_MEMBER, INVALID_QUERY
 */
export async function listThread(chat: Chat, caller: Caller, id: string, query: HistoryQuery): Promise<JsonText> {
  const { db } = chat
  const { app } = caller
  // No user has an empty ID: the integrator takes part in no thread and has deleted nothing.
  const user = userOf(caller) ?? ''
  const { room: of, root: found } = await findRoot(chat, caller, id)
  const { field, size } = toPageSize(query)
  const start = await pageStart(query, field, (cursor) => findMessage(db, threadKey(found, found._id), cursor))
  const thread = { app, room: of.id, root: found._id }
  const { room, root, member, messages } = await inSnapshot(db, async (session) => {
    const room = checkRoom(await findRoom(db, app, of.id, session), of.id)
    // A former member gets no later messages.
    if (caller.kind === 'user') checkMember(await findMembership(db, app, of.id, user, session))
    // A root that is still in the room's buffer has no thread yet.
    const root = (await findMessages(db, [found._id], { session }))[0] ?? found
    const history = { roomKey: threadKey(found, found._id), seq: root.thread?.seq ?? 0 }
    return {
      room,
      root,
      member: await findThreadMember(db, thread, user, session),
      messages: await readThreadHistory(db, history, start, field, size, session),
    }
  })
  const all = [root, ...messages]
  const [users, hidden, quoted] = await Promise.all([
    findSenders(db, app, all),
    findUserDeletions(db, app, user, all),
    findQuoted(db, all, new Map([[room._id, room]])),
  ])
  const { data, userDeletedIDs } = historyPage(messages, { room, users, quoted, hidden }, { start, field, size })
  const hiddenRoot = hidden.has(root._id) ? [root._id] : []
  const counts = {
    totalCount: root.thread ? lengthOf(root.thread) : 0,
    latestSeq: root.thread?.seq ?? 0,
    takesPart: member !== null,
    unread: unreadInThread(root, room, member),
  }
  const rootJson = messageJson(currentMessage(root, room), users.get(root.sender), quoted)
  const withRoot = withField({ ...counts, userDeletedIDs: [...hiddenRoot, ...userDeletedIDs] }, 'root', rootJson)
  return new JsonText([`${withRoot.slice(0, -1)},"data":${data}}`])
}
