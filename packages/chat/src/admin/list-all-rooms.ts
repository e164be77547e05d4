import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { maxCounted, type listAllRooms as operation } from '@parley/contracts/operations/admin/rooms'
import { findRoomList, findRoomsNamed, type RoomSort } from '@parley/db/rooms/room-list'
import type { Chat } from '../chat.ts'
import { anyText, decodeCursor, digits, encodeCursor, maybeEmpty, pageOf } from '../page-cursor.ts'
import { type FilterFields, filterTimeMS, parseQuery, refuseSlowFilter } from '../query-filter.ts'
import { toListedRoom } from '../views/admin-room.ts'

const fields: FilterFields = {
  _id: { field: 'id', kind: 'text' },
  id: { field: 'id', kind: 'text' },
  name: { field: 'name', kind: 'text' },
  roomType: { field: 'roomType', kind: 'text' },
  status: { field: 'status', kind: 'number' },
  roomTags: { field: 'roomTags', kind: 'text' },
  createdTime: { field: 'createdAtMS', kind: 'milliseconds' },
  lastMessageTime: { field: 'lastMessageAtMS', kind: 'milliseconds', isZeroIfNone: true },
  memberCount: { field: 'memberCount', kind: 'number' },
}
const sorts: Readonly<Record<string, RoomSort>> = {
  createdTime: 'createdAtMS',
  lastMessageTime: 'lastMinute',
  name: 'name',
  memberCount: 'memberCount',
}

/**
 * GET /admin/rooms: a page of the rooms that match the filter `q`, or of those whose ID or name starts with `search`.
 * Reads one index from the cursor on, skipping rooms that the filter excludes.
 * @throws ApiError INVALID_QUERY, TOO_MANY_REQUESTS
 */
export async function listAllRooms(
  chat: Chat,
  app: string,
  { q, search, sort, limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const wanted = q === undefined ? { all: [] } : parseQuery(q, fields)
  if (search !== undefined) {
    for (const [name, given] of Object.entries({ sort, cursor })) {
      if (given !== undefined) throw new ApiError('INVALID_QUERY', `${name}: not with search`)
    }
    const options = { limit: limit + 1, maxTimeMS: filterTimeMS }
    const named = await chat.limits
      .queries({ app }, () => findRoomsNamed(chat.db, app, search, wanted, options))
      .catch(refuseSlowFilter)
    const data = named.slice(0, limit).map(toListedRoom)
    return { totalCount: data.length, totalIsExact: named.length <= limit, data }
  }
  const by = sort ?? '-lastMessageTime'
  const field = sorts[by.replace('-', '')] ?? 'createdAtMS'
  const order = by.startsWith('-') ? -1 : 1
  const after = cursor === undefined ? undefined : readCursor(cursor, field)
  const page = { sort: field, order, after, limit: limit + 1, maxCounted, maxTimeMS: filterTimeMS } as const
  const { count, rooms } = await chat.limits
    .queries({ app }, () => findRoomList(chat.db, app, wanted, page))
    .catch(refuseSlowFilter)
  const { shown, last } = pageOf(rooms, limit)
  return {
    totalCount: Math.min(count, maxCounted),
    totalIsExact: count <= maxCounted,
    data: shown.map(toListedRoom),
    ...(last && { cursor: encodeCursor(`rooms.${field}`, last[field], last._id) }),
  }
}

function readCursor(cursor: string, field: RoomSort): { value: string | number; id: string } {
  const isName = field === 'name'
  const [value = '', id = ''] = decodeCursor(`rooms.${field}`, cursor, isName ? maybeEmpty : digits, anyText)
  return { value: isName ? value : Number(value), id }
}
