import type { Filter, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { findPage } from '../find-page.ts'
import { key } from '../keys.ts'
import { type Query, toFilter } from '../query-filter.ts'
import { withoutBuffer } from '../room-buffer/buffer.ts'
import { asTooSlow, unreadablePattern } from '../server-errors.ts'
import { foldName } from '../users/searched-names.ts'
import type { RoomDoc } from './documents.ts'

export type RoomSort = 'createdAtMS' | 'lastMinute' | 'name' | 'memberCount'

/** Prefix index of room names, from each of their words on. */
const roomNamesIndex = { app: 1, names: 1 } as const

/** One per sort order, and one for the rooms with a tag, latest first. */
export const roomListIndexes: IndexDescription[] = [
  { key: { app: 1, createdAtMS: 1, _id: 1 } },
  { key: { app: 1, lastMinute: 1, _id: 1 } },
  { key: { app: 1, name: 1, _id: 1 } },
  { key: { app: 1, memberCount: 1, _id: 1 } },
  { key: { app: 1, roomTags: 1, lastMinute: 1, _id: 1 } },
  { key: roomNamesIndex },
]

interface RoomListPage {
  sort: RoomSort
  order: 1 | -1
  /** The last room of the previous page. */
  after?: { value: string | number; id: string } | undefined
  limit: number
  /** Matches are counted up to this number. */
  maxCounted: number
  maxTimeMS: number
}

/** A page of an app's rooms that are not deleted, and the matches up to `maxCounted` + 1. @throws QueryTooSlow */
export async function findRoomList(
  db: Db,
  app: string,
  query: Query,
  page: RoomListPage,
): Promise<{ count: number; rooms: RoomDoc[] }> {
  const { sort, order, after, limit, maxCounted, maxTimeMS } = page
  const match: Filter<RoomDoc> = { $and: [{ app, deletedAt: { $exists: false } }, toFilter(app, query)] }
  const by = { time: sort, id: '_id', order }
  const rest = { after: after && { atMS: after.value, id: after.id }, limit }
  // Wait for both even if one fails, so that limits on concurrent queries hold.
  const [count, rooms] = await Promise.allSettled([
    db.rooms.countDocuments(match, { maxTimeMS, limit: maxCounted + 1 }),
    findPage(db.rooms, match, by, rest, { maxTimeMS, projection: withoutBuffer }),
  ])
  if (count.status === 'rejected') throw asTooSlow(count.reason, unreadablePattern)
  if (rooms.status === 'rejected') throw asTooSlow(rooms.reason, unreadablePattern)
  return { count: count.value, rooms: rooms.value }
}

/** Rooms whose ID, then those whose folded name or a word in it, begins with a text. @throws QueryTooSlow */
export async function findRoomsNamed(
  db: Db,
  app: string,
  text: string,
  query: Query,
  { limit, maxTimeMS }: { limit: number; maxTimeMS: number },
): Promise<RoomDoc[]> {
  const find = (match: Filter<RoomDoc>, index: IndexDescription['key']) =>
    db.rooms
      .find({ $and: [match, { app, deletedAt: { $exists: false } }, toFilter(app, query)] } as Filter<RoomDoc>, {
        maxTimeMS,
        projection: withoutBuffer,
      })
      .hint(index)
      .limit(limit)
      .toArray()
      .catch((error: unknown) => {
        throw asTooSlow(error, unreadablePattern)
      })
  const prefix = foldName(text)
  const withId = await find({ _id: { $gte: key(app, text), $lt: `${key(app, text)}\u{10ffff}` } }, { _id: 1 })
  if (prefix === '' || withId.length >= limit) return withId
  const named = await find({ app, names: { $elemMatch: { $gte: prefix, $lt: `${prefix}\u{10ffff}` } } }, roomNamesIndex)
  const found = new Map([...withId, ...named].map((room) => [room._id, room]))
  return [...found.values()].slice(0, limit)
}
