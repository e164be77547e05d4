import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { searchAllMessages as operation } from '@parley/contracts/operations/admin/search'
import { idsOf, key } from '@parley/db/keys'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { SearchHit } from '@parley/db/messages/documents'
import { type AppSearch, readsWordIndex, searchApp } from '@parley/db/messages/search-app'
import type { SearchPosition } from '@parley/db/messages/search-pages'
import { flushRooms } from '@parley/db/room-buffer/flush'
import { findRoomList } from '@parley/db/rooms/room-list'
import { findRoom, findRoomsByKey, type RoomSummary } from '@parley/db/rooms/rooms'
import { QueryTooSlow } from '@parley/db/server-errors'
import { checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { decodeCursor, digits, encodeCursor } from '../page-cursor.ts'
import { catchUp, excerptsOf } from '../search/search-messages.ts'
import { conditionsOf } from '../search/search-words.ts'

/** A search of the whole app first prepares this many of the most active rooms. Others are prepared soon anyway. */
const roomsToPrepare = 100

type Query = Input<typeof operation>['body']

/**
 * POST /admin/search: a page of the app's messages that match all filters, latest first. Reads one index, or the
 * histories of rooms, and skips messages that further filters exclude.
 * @param searchMS time limit of the query
 * @throws ApiError INVALID_REQUEST naming the filter, also if the search takes too long; ROOM_NOT_FOUND,
 * TOO_MANY_REQUESTS
 */
export async function searchAllMessages(
  chat: Chat,
  app: string,
  query: Query,
  searchMS = 2_000,
): Promise<Result<typeof operation>> {
  const { keyword, room, sender, messageType, afterTimeMS, beforeTimeMS, limit } = query
  const from = readCursor(query.cursor)
  const conditions = keyword === undefined ? [] : conditionsOf(keyword)
  const inRoom = room === undefined ? undefined : checkRoom(await findRoom(chat.db, app, room), room)
  if (keyword !== undefined && conditions.length === 0) return { data: [] }
  const wanted = { app, conditions, sender, messageType, afterTimeMS, beforeTimeMS }
  return chat.limits.searches({ app }, async () => {
    const search = { ...wanted, roomKey: room === undefined ? undefined : key(app, room) }
    const rooms = inRoom ? [inRoom] : await latestRooms(chat, app, searchMS)
    if (readsWordIndex(search)) await catchUp(chat, rooms)
    else await flushRooms(chat.db, idsOf(rooms))
    const { found, cursor } = await findPage(chat, search, { from, limit, untilMS: clock.now() + searchMS }).catch(
      (error) => {
        if (!(error instanceof QueryTooSlow)) throw error
        throw new ApiError('INVALID_REQUEST', `${narrowed(query)}: the search takes too long; narrow it`, {
          cause: error,
        })
      },
    )
    return { data: await excerptsOf(chat, found), ...(cursor && { cursor }) }
  })
}

function narrowed(query: Query): string {
  const names = ['messageType', 'sender', 'keyword', 'room', 'afterTimeMS', 'beforeTimeMS', 'cursor'] as const
  return names.filter((name) => query[name] !== undefined).join(', ')
}

async function latestRooms(chat: Chat, app: string, maxTimeMS: number): Promise<RoomSummary[]> {
  const page = { sort: 'lastMinute', order: -1, limit: roomsToPrepare, maxCounted: 0 } as const
  const { rooms } = await findRoomList(chat.db, app, { all: [] }, { ...page, maxTimeMS: Math.max(maxTimeMS, 1_000) })
  return rooms
}

async function findPage(
  chat: Chat,
  search: AppSearch,
  { from, limit, untilMS }: { from: SearchPosition | undefined; limit: number; untilMS: number },
): Promise<{ found: SearchHit[]; cursor?: string }> {
  const found: SearchHit[] = []
  let [position, end] = [from, from]
  for await (const hits of searchApp(chat.db, search, from, { atOnce: limit + 1, untilMS })) {
    const keys = [...new Set(hits.map(({ roomKey }) => roomKey))]
    const rooms = new Map((await findRoomsByKey(chat.db, keys)).map((room) => [room._id, room]))
    for (const hit of hits) {
      position = { atMS: hit.createdAtMS, passed: hit.createdAtMS === position?.atMS ? position.passed + 1 : 1 }
      const room = rooms.get(hit.roomKey)
      if (!room || room.deletedAt || isDeletedIn(hit, room)) continue
      if (found.length === limit) return { found, ...(end && { cursor: encodeCursor('search', end.atMS, end.passed) }) }
      found.push(hit)
      end = position
    }
  }
  return { found }
}

function readCursor(cursor: string | undefined): SearchPosition | undefined {
  if (cursor === undefined) return undefined
  try {
    const [time, passed] = decodeCursor('search', cursor, digits, digits)
    return { atMS: Number(time), passed: Number(passed) }
  } catch (cause) {
    throw new ApiError('INVALID_REQUEST', (cause as Error).message, { cause })
  }
}
