import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { listRooms as operation } from '@parley/contracts/operations/rooms'
import { findMembershipsOfUser, type MembershipDoc, unreadOf } from '@parley/db/memberships'
import { findMessages } from '@parley/db/messages'
import { findRoomsByKey, type RoomDoc } from '@parley/db/rooms'
import { findUsers } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { matchesPref, parsePrefFilter } from './pref-filter.ts'
import { showRoomTo } from './show-room.ts'
import { parseTime } from './time-parameter.ts'

type Query = Input<typeof operation>['query']
interface Entry {
  membership: MembershipDoc
  room: RoomDoc
}

/**
 * The caller's rooms (interface.md, GET /rooms): filtered, sorted and cut to the page first, then
 * filled with members and latest messages. Four queries, whatever the length of the histories.
 * @throws ApiError INVALID_QUERY
 */
export async function listRooms(chat: Chat, caller: UserCaller, query: Query): Promise<Result<typeof operation>> {
  const startedMS = performance.now()
  const compare = comparison(query)
  const wanted = filter(query)
  const entries = (await entriesOf(chat, caller)).filter(wanted).sort(compare)
  const page = entries.slice(query.skip, query.limit === 0 ? undefined : query.skip + query.limit)
  const lastIDs = page.map(({ room }) => room.lastMessageID).filter((id) => id !== undefined)
  const lastMessages = new Map((await findMessages(chat.db, lastIDs)).map((message) => [message._id, message]))
  const users = await findUsers(chat.db, caller.app, [
    ...page.flatMap(({ room }) => room.firstMembers),
    ...[...lastMessages.values()].map((message) => message.sender),
  ])
  return {
    totalCount: entries.length,
    data: page.map(({ membership, room }) =>
      showRoomTo(membership, room, users, lastMessages.get(room.lastMessageID ?? '')),
    ),
    inspect: { query, tookMS: Math.round(performance.now() - startedMS) },
  }
}

async function entriesOf(chat: Chat, caller: UserCaller): Promise<Entry[]> {
  const memberships = await findMembershipsOfUser(chat.db, caller.app, caller.user)
  const found = await findRoomsByKey(
    chat.db,
    memberships.map((membership) => membership.roomKey),
  )
  const rooms = new Map(found.map((room) => [room._id, room]))
  return memberships.flatMap((membership) => {
    const room = rooms.get(membership.roomKey)
    return room && !room.deletedAt ? [{ membership, room }] : []
  })
}

function filter(query: Query): (entry: Entry) => boolean {
  const afterMS = query.updatedAfter === undefined ? undefined : parseTime('updatedAfter', query.updatedAfter)
  const pref = query.pref === undefined ? undefined : parsePrefFilter(query.pref)
  return ({ membership, room }) =>
    (afterMS === undefined || Math.max(room.lastMessageAtMS, room.createdAtMS) > afterMS) &&
    (pref === undefined || matchesPref(membership, pref))
}

const sortValues: Record<string, (entry: Entry) => number | string> = {
  // A room without a message sorts by its creation, so that a new one is not at the very end.
  lastMessage: ({ room }) => room.lastMessageAtMS || room.createdAtMS,
  createdTime: ({ room }) => room.createdAtMS,
  name: ({ room }) => room.name,
}

function comparison(query: Query): (a: Entry, b: Entry) => number {
  const fields = query.sort
    .trim()
    .split(/\s+/)
    .map((field) => {
      const descending = field.startsWith('-')
      const value = sortValues[descending ? field.slice(1) : field]
      if (!value || !Object.hasOwn(sortValues, descending ? field.slice(1) : field)) {
        throw new ApiError(
          'INVALID_QUERY',
          `sort: ${JSON.stringify(field)} is none of ${Object.keys(sortValues).join(', ')}`,
        )
      }
      return { value, direction: descending ? -1 : 1 }
    })
  const isRead = ({ membership, room }: Entry) => (unreadOf(membership, room) > 0 ? 0 : 1)
  return (a, b) => {
    if (query.sortUnreadFirst !== 0 && isRead(a) !== isRead(b)) return isRead(a) - isRead(b)
    for (const { value, direction } of fields) {
      const [x, y] = [value(a), value(b)]
      if (x !== y) return x < y ? -direction : direction
    }
    return a.room._id < b.room._id ? -1 : 1
  }
}
