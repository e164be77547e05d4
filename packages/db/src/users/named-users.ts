import { inParts } from '@parley/async/in-parts'
import type { Db } from '../db.ts'
import { idsOf, key } from '../keys.ts'
import type { MembershipDoc, RoomDoc } from '../rooms/documents.ts'
import { membersIndex } from '../rooms/memberships.ts'
import { findUsersInRooms } from '../rooms/rooms-of-users.ts'
import type { UserDoc } from './documents.ts'

export const searchedNamesIndex = { app: 1, names: 1 } as const

/** Maximum number of members to search directly by name. */
const maxMembers = 5_000
/** Maximum number of matching users of the app to check for membership, in one room and in several. */
const maxNamed = { ofRoom: 5_000, ofRooms: 1_000 }
const perReply = 100
const roomsAtOnce = 100

/** The fields of a room that a search of its members needs. */
type RoomOfMembers = Pick<RoomDoc, '_id' | 'id' | 'memberCount'>

const begins = (prefix: string) => ({ $elemMatch: { $gte: prefix, $lt: `${prefix}\u{10ffff}` } })

/** Pages through the users of an app whose name, or a word in it, begins with a folded prefix, ordered by name. */
export async function* usersNamed(db: Db, app: string, prefix: string): AsyncGenerator<UserDoc[]> {
  const found = db.users
    .find({ app, names: begins(prefix) })
    .hint(searchedNamesIndex)
    .batchSize(perReply)
  while (await found.hasNext()) yield found.readBufferedDocuments()
}

/** The users and groups of an app with an ID that begins with a text, ordered by ID. */
export async function usersWithId(db: Db, app: string, prefix: string, limit: number): Promise<UserDoc[]> {
  return db.users
    .find({ _id: { $gte: key(app, prefix), $lt: `${key(app, prefix)}\u{10ffff}` } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
}

/**
 * Like usersNamed, among the members of rooms. Complete for the first rooms that have at most 5,000 members together.
 * For the others, checks only the first 5,000 matching users of the app (1,000 for several rooms). Can yield a user
 * twice.
 */
export async function* membersNamed(
  db: Db,
  app: string,
  rooms: readonly RoomOfMembers[],
  prefix: string,
): AsyncGenerator<UserDoc[]> {
  const small = fitting(rooms)
  const keys = await findMemberKeys(db, app, small)
  for (const part of inParts(keys, 1_000)) yield db.users.find({ _id: { $in: part }, names: begins(prefix) }).toArray()
  const large = rooms.filter((room) => !small.includes(room)).map(({ id }) => id)
  let left = rooms.length === 1 ? maxNamed.ofRoom : maxNamed.ofRooms
  if (large.length === 0) return
  for await (const named of usersNamed(db, app, prefix)) {
    const ids = named.map(({ id }) => id)
    const inside = await findUsersInRooms(db, app, ids, large)
    yield named.filter(({ id }) => inside.has(id))
    left -= named.length
    if (left <= 0) return
  }
}

/** The first rooms that have at most `maxMembers` together. */
function fitting(rooms: readonly RoomOfMembers[]): RoomOfMembers[] {
  let left = maxMembers
  const fit = rooms.filter(({ memberCount }) => {
    if (memberCount > left) return false
    left -= memberCount
    return true
  })
  return fit.slice(0, roomsAtOnce)
}

/** The distinct members of rooms, as `key(app, user)`. */
async function findMemberKeys(db: Db, app: string, rooms: readonly RoomOfMembers[]): Promise<string[]> {
  if (rooms.length === 0) return []
  const found = db.memberships
    .find({ roomKey: { $in: idsOf(rooms) } }, { batchSize: maxMembers })
    // A covered query: no documents are read.
    .hint(membersIndex)
    .project<Pick<MembershipDoc, '_id'>>({ _id: 1 })
  const users = (await found.toArray()).map(({ _id }) => _id.slice(_id.lastIndexOf('\0') + 1))
  return [...new Set(users)].map((user) => key(app, user))
}

/** The rooms of a user, without deleted ones, latest message first. */
export async function findRoomsByUse(db: Db, app: string, user: string): Promise<RoomOfMembers[]> {
  const memberships = await db.memberships
    .find({ userKey: key(app, user) })
    .project<Pick<MembershipDoc, 'roomKey'>>({ _id: 0, roomKey: 1 })
    .toArray()
  const rooms = await db.rooms
    .find({ _id: { $in: memberships.map(({ roomKey }) => roomKey) }, deletedAt: { $exists: false } })
    .project<RoomOfMembers & Pick<RoomDoc, 'lastMessageAtMS'>>({ id: 1, memberCount: 1, lastMessageAtMS: 1 })
    .toArray()
  return rooms.toSorted((a, b) => b.lastMessageAtMS - a.lastMessageAtMS)
}
