import type { Input, Result } from '@parley/contracts/operation'
import type { search as operation } from '@parley/contracts/operations/search'
import { findMembershipsOfUser } from '@parley/db/memberships'
import { findMessages, isDeletedIn, type MessageDoc } from '@parley/db/messages'
import { findRoomsByKey, type RoomDoc } from '@parley/db/rooms'
import { findSearchProgress, searchTextsWith } from '@parley/db/search-texts'
import { findUserDeletions } from '@parley/db/user-deletions'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { indexRoom } from './index-messages.ts'
import { requireMember } from './require-member.ts'
import { wordsOf, wordsOfContent } from './search-words.ts'

/** Rooms in one query; the database reads the index once for each. */
const roomsAtOnce = 100
const hitsAtOnce = 100
/** A search waits so long for messages that are not indexed yet. */
const catchUpMS = 2_000

/**
 * POST /search: the messages of the caller's rooms that hold every word of the keyword, the rooms with the latest
 * messages first. By an index of words, never a scan of messages; exact: not what was deleted, for all or by the
 * caller, and what was sent before the search is found.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER of `room`
 */
export async function searchMessages(
  chat: Chat,
  caller: UserCaller,
  query: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  const words = wordsOf(query.keyword)
  const rooms = await searchedRooms(chat, caller, query)
  if (words.length === 0) return { messages: [] }
  await catchUp(chat, rooms)
  const found: MessageDoc[] = []
  for (let i = 0; i < rooms.length && found.length < query.limit; i += roomsAtOnce) {
    const group = new Map(rooms.slice(i, i + roomsAtOnce).map((room) => [room._id, room]))
    found.push(...(await searchRooms(chat, caller, group, words, query.limit - found.length)))
  }
  const byRoom = Map.groupBy(found, (message) => message.room)
  return { messages: [...byRoom].map(([room, messages]) => ({ room, messages: messages.map(({ _id }) => _id) })) }
}

async function searchedRooms(
  chat: Chat,
  caller: UserCaller,
  { room, roomTags }: { room?: string | undefined; roomTags?: string[] | undefined },
): Promise<RoomDoc[]> {
  if (room !== undefined) return [(await requireMember(chat, caller, room)).room]
  const memberships = await findMembershipsOfUser(chat.db, caller.app, caller.user)
  const keys = memberships.map((membership) => membership.roomKey)
  const rooms = (await findRoomsByKey(chat.db, keys)).filter((each) => !each.deletedAt)
  const tagged = roomTags ? rooms.filter((each) => each.roomTags.some((tag) => roomTags.includes(tag))) : rooms
  return tagged.toSorted((a, b) => b.lastMessageAtMS - a.lastMessageAtMS)
}

async function catchUp(chat: Chat, rooms: readonly RoomDoc[]): Promise<void> {
  const keys = rooms.map((room) => room._id)
  const progress = await findSearchProgress(chat.db, keys)
  const behind = rooms.filter((room) => Math.max(progress.get(room._id) ?? 0, room.deletedUpToSeq ?? 0) < room.seq)
  const untilMS = Date.now() + catchUpMS
  for (const room of behind) {
    await indexRoom(chat.db, room._id, untilMS)
    if (Date.now() >= untilMS) chat.searchIndex.soon(room._id)
  }
}

async function searchRooms(
  chat: Chat,
  { app, user }: UserCaller,
  rooms: ReadonlyMap<string, RoomDoc>,
  words: string[],
  limit: number,
): Promise<MessageDoc[]> {
  const found: MessageDoc[] = []
  const cursor = searchTextsWith(chat.db, [...rooms.keys()], words).batchSize(hitsAtOnce)
  try {
    while (found.length < limit && (await cursor.hasNext())) {
      const hits = cursor.readBufferedDocuments(hitsAtOnce).map(({ _id }) => _id)
      const messages = new Map((await findMessages(chat.db, hits)).map((message) => [message._id, message]))
      const hidden = await findUserDeletions(chat.db, app, user, [...messages.values()])
      for (const id of hits) {
        const message = messages.get(id)
        const room = message && rooms.get(message.roomKey)
        if (!message || !room || isDeletedIn(message, room) || hidden.has(id)) continue
        // The index may be a moment behind an edit.
        const has = new Set(wordsOfContent(message.content))
        if (words.every((word) => has.has(word))) found.push(message)
      }
    }
  } finally {
    await cursor.close()
  }
  return found.slice(0, limit)
}
