import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { search as operation } from '@parley/contracts/operations/search/search'
import { idsOf } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc, SearchConditions } from '@parley/db/messages/documents'
import { searchPages } from '@parley/db/messages/search-pages'
import { findSearchProgress, searchTextsWith } from '@parley/db/messages/search-texts'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { flushRooms } from '@parley/db/room-buffer/flush'
import type { RoomSummary } from '@parley/db/rooms/rooms'
import { findRoomsOfMember } from '@parley/db/rooms/rooms-of-member'
import { QueryTooSlow } from '@parley/db/server-errors'
import type { UserCaller } from '../access/caller.ts'
import { requireMember } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { isOverSoon } from '../jobs/work-on-job.ts'
import { toQuote } from '../views/message.ts'
import { conditionsOf } from './search-words.ts'

/** Rooms per query. The database reads the index once per room. */
const readsAtOnce = 100
const hitsAtOnce = 100
const searchMS = 2_000
/** How long a search waits for messages to be indexed. */
const catchUpMS = 2_000

/**
 * POST /search: messages in the caller's rooms that contain every word of the keyword, or words that begin with it, in
 * the rooms with the latest messages first. It reads an index of words and never scans messages. The result is exact:
 * it has every message sent before the search, and none deleted for everyone or by the caller.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER of `room`, INVALID_REQUEST if it takes too long, TOO_MANY_REQUESTS
 */
export async function searchMessages(
  chat: Chat,
  caller: UserCaller,
  query: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  const conditions = conditionsOf(query.keyword)
  const rooms = await searchedRooms(chat, caller, query)
  if (conditions.length === 0) return { messages: [] }
  const found = await chat.limits.searches(caller, async () => {
    await catchUp(chat, rooms)
    return searchAll(chat, caller, rooms, conditions, query.limit)
  })
  const byRoom = Map.groupBy(found, (message) => message.room)
  const messages = [...byRoom].map(([room, own]) => toResult(room, own))
  return query.excerpts ? { messages, found: await excerptsOf(chat, found) } : { messages }
}

function toExcerpt(message: MessageDoc): Excerpt {
  const { room, createdAtMS: messageTimeMS, threadOf } = message
  return { ...toQuote(message), room, messageTimeMS, ...(threadOf !== undefined && { threadOf }) }
}

type Excerpt = NonNullable<Result<typeof operation>['found']>[number]

/** The found messages in their current state, latest first. A search has already flushed their rooms. */
export async function excerptsOf(chat: Chat, found: readonly Pick<Found, '_id'>[]): Promise<Excerpt[]> {
  const messages = await findMessages(chat.db, idsOf(found))
  return messages
    .filter(({ isDeleted, recalled }) => !isDeleted && !recalled)
    .toSorted((a, b) => b.createdAtMS - a.createdAtMS)
    .map(toExcerpt)
}

interface Found {
  _id: string
  room: string
  threadOf?: string
}

function toResult(room: string, found: readonly Found[]): Result<typeof operation>['messages'][number] {
  const inThreads = found.flatMap(({ _id, threadOf }) => (threadOf === undefined ? [] : [{ _id, threadOf }]))
  return {
    room,
    messages: found.flatMap(({ _id, threadOf }) => (threadOf === undefined ? [_id] : [])),
    ...(inThreads.length > 0 && { threadMessages: inThreads }),
  }
}

async function searchAll(
  chat: Chat,
  caller: UserCaller,
  rooms: readonly RoomSummary[],
  conditions: SearchConditions,
  limit: number,
): Promise<Found[]> {
  const untilMS = clock.now() + searchMS
  const found: Found[] = []
  try {
    for (const part of inParts(rooms, readsAtOnce)) {
      if (found.length >= limit) break
      const group = new Map(part.map((room) => [room._id, room]))
      found.push(
        ...(await searchRooms(chat, caller, { rooms: group, conditions, limit: limit - found.length, untilMS })),
      )
    }
  } catch (error) {
    if (!(error instanceof QueryTooSlow)) throw error
    const wanted = 'keyword: the search takes too long; narrow it by room, roomTags or more words'
    throw new ApiError('INVALID_REQUEST', wanted, { cause: error })
  }
  return found
}

async function searchedRooms(
  chat: Chat,
  caller: UserCaller,
  { room, roomTags = [] }: { room?: string | undefined; roomTags?: string[] | undefined },
): Promise<RoomSummary[]> {
  const rooms =
    room === undefined
      ? (await findRoomsOfMember(chat.db, caller.app, caller.user)).map((each) => each.room)
      : [(await requireMember(chat, caller, room)).room]
  const isTagged = (each: RoomSummary) => roomTags.length === 0 || each.roomTags.some((tag) => roomTags.includes(tag))
  return rooms.filter(isTagged).toSorted((a, b) => b.lastMessageAtMS - a.lastMessageAtMS)
}

/** Indexes unindexed messages of rooms, for at most two seconds, and the rest soon after. */
export async function catchUp(chat: Chat, rooms: readonly RoomSummary[]): Promise<void> {
  const keys = rooms.map((room) => room._id)
  const progress = await findSearchProgress(chat.db, keys)
  const behind = rooms.filter((room) => Math.max(progress.get(room._id) ?? 0, room.deletedUpToSeq ?? 0) < room.seq)
  const untilMS = clock.now() + catchUpMS
  await flushRooms(chat.db, idsOf(behind))
  for (const room of behind) {
    // The index may share a run that lasts longer.
    const indexed = chat.searchIndex.index(room._id, untilMS)
    const isOver = await isOverSoon(indexed, Math.max(0, untilMS - clock.now()))
    if (!isOver || clock.now() >= untilMS) chat.searchIndex.soon(room._id)
  }
}

async function searchRooms(
  chat: Chat,
  { app, user }: UserCaller,
  wanted: { rooms: ReadonlyMap<string, RoomSummary>; conditions: SearchConditions; limit: number; untilMS: number },
): Promise<Found[]> {
  const { rooms, conditions, limit, untilMS } = wanted
  const found: Found[] = []
  const query = searchTextsWith(chat.db, [...rooms.keys()], conditions)
  for await (const page of searchPages(query, { atOnce: hitsAtOnce, untilMS })) {
    const hits = page.flatMap(({ roomKey, ...hit }) => {
      const room = rooms.get(roomKey)
      return room && !isDeletedIn(hit, room) ? [{ ...hit, room: room.id }] : []
    })
    // Words change in the same transaction as their message, so the index is correct.
    const hidden = await findUserDeletions(chat.db, app, user, hits)
    found.push(...hits.filter(({ _id }) => !hidden.has(_id)))
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}
