import type { Input } from '@parley/contracts/operation'
import type { listThreads as operation } from '@parley/contracts/operations/messages/threads'
import type { Db } from '@parley/db/connect'
import type { PagePosition } from '@parley/db/find-page'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { stub, withChange } from '@parley/db/messages/change-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findRoomsOfMember } from '@parley/db/rooms/rooms-of-users'
import { lengthOf } from '@parley/db/threads/thread'
import { findRootsOfThreads, findThreadsOfUser, type RootSummary } from '@parley/db/threads/thread-members'
import { inSnapshot } from '@parley/db/transactions/snapshot'
import { findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { anyMessageID, pageOf, parseCursor, toCursor } from '../page-cursor.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { messageJson } from '../views/message.ts'
import { unreadInThread } from './thread.ts'

interface Listed {
  root: RootSummary
  room: RoomDoc
  unread: number
}

/** The caller's threads, latest first, and how many have unread messages. @throws ApiError INVALID_QUERY */
export async function listThreads(
  chat: Chat,
  { app, user }: UserCaller,
  { unread, limit, cursor }: Input<typeof operation>['query'],
): Promise<JsonText> {
  const after = parseCursor('threads', cursor, anyMessageID)
  const all = (await findListed(chat.db, app, user)).toSorted((a, b) => byLatest(positionOf(a), positionOf(b)))
  const isWanted = (one: Listed) =>
    (unread === 'false' || one.unread > 0) && (!after || byLatest(after, positionOf(one)) < 0)
  const rest = all.filter(isWanted)
  const { shown: page, last } = pageOf(rest, limit)
  const position = last && positionOf(last)
  const unreadThreads = all.filter((one) => one.unread > 0).length
  const about = { unreadThreads, ...(position && { cursor: toCursor('threads', position) }) }
  return new JsonText(withField(about, 'data', `[${(await shownThreads(chat.db, { app, user }, page)).join(',')}]`))
}

/** Threads in the user's current rooms. Parts of an unread count are read at one snapshot. */
async function findListed(db: Db, app: string, user: string): Promise<Listed[]> {
  const { members, roots, rooms } = await inSnapshot(db, async (session) => {
    const found = await findThreadsOfUser(db, app, user, session)
    const keys = [...new Set(found.map(({ room }) => key(app, room)))]
    return {
      members: found,
      roots: await findRootsOfThreads(db, found, session),
      rooms: new Map((await findRoomsByKey(db, keys, session)).map((room) => [room._id, room])),
    }
  })
  const ids = [...rooms.values()].map(({ id }) => id)
  const own = new Set(await findRoomsOfMember(db, app, user, ids))
  return members.flatMap((member) => {
    const root = roots.get(member.roomKey)
    const room = rooms.get(key(app, member.room))
    if (!root || !room || room.deletedAt || !own.has(room.id)) return []
    return { root, room, unread: unreadInThread(root, room, member) }
  })
}

/** Threads as JSON texts, in order. A root that the user deleted for themselves appears as a stub. */
async function shownThreads(
  db: Db,
  { app, user }: Pick<UserCaller, 'app' | 'user'>,
  page: readonly Listed[],
): Promise<string[]> {
  const ids = page.map(({ root }) => root._id)
  const messages = new Map((await findMessages(db, ids)).map((message) => [message._id, message]))
  const roots = [...messages.values()]
  const senders = roots.map(({ sender }) => sender)
  const rooms = new Map(page.map(({ room }) => [room._id, room]))
  const [users, quoted, hidden] = await Promise.all([
    findUsers(db, app, senders),
    findQuoted(db, roots, rooms),
    findUserDeletions(db, app, user, roots),
  ])
  return page.flatMap(({ root, room, unread }) => {
    const message = messages.get(root._id)
    if (!message) return []
    const current = hidden.has(message._id) ? withChange(message, stub) : currentMessage(message, room)
    const shown = messageJson(current, users.get(message.sender), quoted)
    return withField({ totalCount: lengthOf(root.thread), latestSeq: root.thread.seq, unread }, 'root', shown)
  })
}

function positionOf({ root: { _id, thread } }: Listed): PagePosition {
  return { atMS: thread.lastMessageAtMS, id: _id }
}

function byLatest(a: PagePosition, b: PagePosition): number {
  return b.atMS - a.atMS || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)
}
