import { isDeepStrictEqual } from 'node:util'
import { inParts } from '@parley/async/in-parts'
import { ApiError } from '@parley/contracts/errors'
import { takeBody } from '@parley/contracts/lenient'
import type { Input } from '@parley/contracts/operation'
import type { listRooms as operation } from '@parley/contracts/operations/rooms/rooms'
import { type PrefFilter, prefFilter } from '@parley/contracts/resources/room-pref'
import type { MembershipDoc } from '@parley/db/rooms/documents'
import { findRoomsOfMember, findShownRooms, type RoomOfMember } from '@parley/db/rooms/rooms-of-member'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { parseTime } from '../read-time.ts'
import { JsonText, listText } from '../views/json-text.ts'
import { toPrefView } from '../views/room.ts'
import { shownRoomTexts } from './get-room.ts'

type Query = Input<typeof operation>['query']

/** Rooms per part, which bounds the memory for a list of any length. */
const roomsAtOnce = 50

/**
 * The caller's rooms (docs/reference/rooms.md#read): filtered, sorted and cut to the page first, then filled with
 * members and latest messages, part by part. The cost does not grow with the histories: two round trips to MongoDB for
 * a user with few rooms, and one more per part.
 * @throws ApiError INVALID_QUERY
 */
export async function listRooms(chat: Chat, caller: UserCaller, query: Query): Promise<JsonText> {
  const startedMS = performance.now()
  const compare = comparison(query)
  const wanted = filter(query)
  const rooms = await findRoomsOfMember(chat.db, caller.app, caller.user, { showUpTo: roomsAtOnce })
  const entries = rooms.filter(wanted).sort(compare)
  const page = entries.slice(query.skip, query.limit === 0 ? undefined : query.skip + query.limit)

  async function* parts(): AsyncGenerator<string[]> {
    for (const part of inParts(page, roomsAtOnce)) yield roomTexts(chat, caller, part)
  }
  async function* text(): AsyncGenerator<string> {
    yield `{"totalCount":${entries.length},"data":`
    yield* listText(parts())
    const inspect = { query, tookMS: Math.round(performance.now() - startedMS) }
    yield `,"inspect":${JSON.stringify(inspect)}}`
  }
  return new JsonText(text())
}

/** Rooms as JSON texts, in order, without those deleted or left by the caller meanwhile. */
async function roomTexts(chat: Chat, caller: UserCaller, entries: readonly RoomOfMember[]): Promise<string[]> {
  const toRead = entries.filter(({ shown }) => shown === undefined).map(({ room }) => room._id)
  const found = new Map((await findShownRooms(chat.db, caller, toRead)).map((now) => [now.room._id, now]))
  const all = entries.flatMap((entry) => {
    const { shown, ...of } = entry.shown ? entry : (found.get(entry.room._id) ?? entry)
    return shown ? [{ of, shown }] : []
  })
  return shownRoomTexts(chat, caller, all)
}

function filter(query: Query): (entry: RoomOfMember) => boolean {
  const afterMS = query.updatedAfter === undefined ? undefined : parseTime('updatedAfter', query.updatedAfter)
  const pref = query.pref === undefined ? undefined : parsePrefFilter(query.pref)
  return ({ membership, room }) =>
    (afterMS === undefined || Math.max(room.lastMessageAtMS, room.createdAtMS) > afterMS) &&
    (pref === undefined || matchesPref(membership, pref))
}

type Comparison = (a: RoomOfMember, b: RoomOfMember) => number

/** Natural order: `abc` before `Zed`, `Room 9` before `Room 10`. */
const names = new Intl.Collator('und', { numeric: true })

// A room without messages sorts by its creation, so that a new room is not last.
const latestMS = ({ room }: RoomOfMember) => room.lastMessageAtMS || room.createdAtMS

const comparisons: Record<string, Comparison> = {
  lastMessage: (a, b) => latestMS(a) - latestMS(b),
  createdTime: (a, b) => a.room.createdAtMS - b.room.createdAtMS,
  name: (a, b) => names.compare(a.room.name, b.room.name),
}

function comparison(query: Query): Comparison {
  const fields = query.sort
    .trim()
    .split(/\s+/)
    .map((field) => {
      const descending = field.startsWith('-')
      const name = descending ? field.slice(1) : field
      const compare = comparisons[name]
      if (!compare || !Object.hasOwn(comparisons, name)) {
        throw new ApiError(
          'INVALID_QUERY',
          `sort: ${JSON.stringify(field)} is not one of ${Object.keys(comparisons).join(', ')}`,
        )
      }
      return { compare, direction: descending ? -1 : 1 }
    })
  const isRead = ({ unread }: RoomOfMember) => (unread > 0 ? 0 : 1)
  return (a, b) => {
    if (query.sortUnreadFirst !== 0 && isRead(a) !== isRead(b)) return isRead(a) - isRead(b)
    for (const { compare, direction } of fields) {
      const order = compare(a, b)
      if (order !== 0) return order * direction
    }
    return a.room._id < b.room._id ? -1 : 1
  }
}

/** Parses GET /rooms' `pref`: a JSON object of preferences that must all match. @throws ApiError INVALID_QUERY */
function parsePrefFilter(text: string): PrefFilter {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new ApiError('INVALID_QUERY', 'pref: expected a JSON object', { cause: error })
  }
  const { value, ignored } = takeBody(prefFilter, json)
  // Without an unknown field the filter would match too many rooms.
  const parsed = prefFilter.safeParse(ignored.length > 0 ? json : value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ApiError('INVALID_QUERY', `${['pref', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`)
}

/** Tags match if the room has all of the filter's tags; any other field if it is equal. */
function matchesPref(membership: Pick<MembershipDoc, 'pref'>, filter: PrefFilter): boolean {
  const pref = toPrefView(membership)
  const { tags, ...others } = filter
  const wanted = tags === undefined ? [] : [tags].flat()
  return (
    wanted.every((tag) => pref.tags.includes(tag)) &&
    Object.entries(others).every(([name, value]) => isDeepStrictEqual(pref[name as keyof typeof pref], value))
  )
}
