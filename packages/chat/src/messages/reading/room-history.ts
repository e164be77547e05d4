import { type AppUser, key } from '@parley/db/keys'
import { messagesOf } from '@parley/db/message-buckets/buckets'
import type { MessageDoc } from '@parley/db/messages/documents'
import { type PageSize, readHistory } from '@parley/db/messages/history'
import { findMessage } from '@parley/db/messages/messages'
import type { PageStart, TimeField } from '@parley/db/messages/page-start'
import { type RoomPage, readRoomPage } from '@parley/db/messages/room-page'
import { findUserDeletions, hiddenBy } from '@parley/db/messages/user-deletions'
import { findRoomWithBuffer, unflushedOf } from '@parley/db/room-buffer/buffer'
import type { UserDoc } from '@parley/db/users/documents'
import { findUsers, onlyUsers } from '@parley/db/users/users'
import { type Caller, userOf } from '../../access/caller.ts'
import { checkMember, checkRoom, requireMemberOf } from '../../access/require-member.ts'
import type { Chat } from '../../chat.ts'
import { JsonText, withField } from '../../views/json-text.ts'
import { type HistoryQuery, historyPage, pageStart, toPageSize } from './history-page.ts'
import { findQuoted } from './quoted-messages.ts'

/**
 * A page of a room's history (docs/reference/messages.md#history). The cost does not depend on the length of the
 * history: one round trip, another to find the start of a page before or after a message, and more if one read does not
 * fill the page.
 * @param options `includeDeleted`: includes what is still kept of deleted messages
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, MESSAGE_NOT_FOUND, INVALID_QUERY
 */
export async function roomHistory(
  chat: Chat,
  caller: Caller,
  roomId: string,
  query: HistoryQuery,
  { includeDeleted = false }: { includeDeleted?: boolean } = {},
): Promise<JsonText> {
  const startedMS = performance.now()
  const { field, size } = toPageSize(query)
  const start = await pageStart(query, field, (id) => findCursor(chat, caller, roomId, id))
  // No user has an empty ID: the integrator is not a member and has deleted nothing.
  const reader = { app: caller.app, user: userOf(caller) ?? '' }
  const page = await readRoomPage(chat.db, { ...reader, room: roomId }, start, field, size)
  const room = checkRoom(page?.room, roomId)
  if (caller.kind === 'user') checkMember(page?.isMember)
  const { messages, ...about } = await pageMessages(chat, reader, page as RoomPage, { start, field, size })
  const quoted = await findQuoted(chat.db, messages, new Map([[room._id, room]]))
  const deletions = includeDeleted ? {} : room
  const { data, userDeletedIDs } = historyPage(messages, { ...about, room: deletions, quoted }, { start, field, size })
  const inspect = { query: { room: roomId, ...query }, tookMS: Math.round(performance.now() - startedMS) }
  // seq has no gaps, and messages are removed only from the beginning.
  const rest = { totalCount: room.seq - (room.goneUpToSeq ?? 0), latestSeq: room.seq, userDeletedIDs, inspect }
  return new JsonText([withField(rest, 'data', data)])
}

/** The messages of the page, their senders, and those that the caller deleted for themselves. */
async function pageMessages(
  chat: Chat,
  { app, user }: AppUser,
  { room, first, users, deletions }: RoomPage,
  { start, field, size }: { start: PageStart; field: TimeField; size: PageSize },
): Promise<{ messages: MessageDoc[]; users: ReadonlyMap<string, UserDoc>; hidden: ReadonlySet<string> }> {
  const of = { roomKey: room._id, buffer: unflushedOf(room), clockMS: room.clockMS, seq: room.seq }
  const messages = await readHistory(chat.db, of, start, field, size, first)
  const known = new Set([...first.apart, ...first.buckets.flatMap(messagesOf), ...of.buffer].map(({ _id }) => _id))
  const isAll = messages.every(({ _id }) => known.has(_id))
  if (isAll) return { messages, users: onlyUsers(users), hidden: hiddenBy(deletions, app, user, messages) }
  const senders = messages.map((message) => message.sender)
  const [found, hidden] = await Promise.all([
    findUsers(chat.db, app, senders),
    findUserDeletions(chat.db, app, user, messages),
  ])
  return { messages, users: found, hidden }
}

async function findCursor(chat: Chat, caller: Caller, roomId: string, id: string): Promise<MessageDoc | null> {
  const flushed = await findMessage(chat.db, key(caller.app, roomId), id)
  return flushed ?? unflushedMessage(chat, caller, roomId, id)
}

/** A message that had not been flushed a moment ago. */
async function unflushedMessage(chat: Chat, caller: Caller, roomId: string, id: string): Promise<MessageDoc | null> {
  const found = await findRoomWithBuffer(chat.db, caller.app, roomId)
  const room =
    caller.kind === 'user' ? (await requireMemberOf(chat, caller, roomId, found)).room : checkRoom(found, roomId)
  return unflushedOf(room).find((unflushed) => unflushed._id === id) ?? findMessage(chat.db, room._id, id)
}
