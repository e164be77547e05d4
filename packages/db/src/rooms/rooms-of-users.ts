import type { Db } from '../db.ts'
import { type AppUser, key } from '../keys.ts'
import type { MembershipDoc } from './documents.ts'
import { findDeletedRooms } from './erasing-rooms.ts'
import { isMuted } from './memberships.ts'

/** Up to this many user-room pairs, memberships are looked up by ID; beyond, all memberships of the users are read. */
const maxPairs = 20_000

export async function findRoomIdsOfUser(db: Db, app: string, user: string): Promise<string[]> {
  const [rooms = []] = await findRoomsOfUsers(db, [{ app, user }])
  return rooms.map(({ room }) => room)
}

export async function countRoomsOfUser(db: Db, app: string, user: string): Promise<number> {
  const keys = (await findRoomIdsOfUser(db, app, user)).map((room) => key(app, room))
  return keys.length - (await findDeletedRooms(db, keys)).size
}

export async function findRoomsOfMember(
  db: Db,
  app: string,
  user: string,
  rooms: readonly string[],
): Promise<string[]> {
  if (rooms.length === 0) return []
  const found = db.memberships.find({ _id: { $in: rooms.map((room) => key(app, room, user)) } })
  return (await found.project<Pick<MembershipDoc, 'room'>>({ _id: 0, room: 1 }).toArray()).map(({ room }) => room)
}

/** The users among these who are in any of these rooms (IDs). The cost does not depend on the rooms' sizes. */
export async function findUsersInRooms(
  db: Db,
  app: string,
  users: readonly string[],
  rooms: readonly string[],
): Promise<Set<string>> {
  if (users.length === 0 || rooms.length === 0) return new Set()
  const isFew = users.length * rooms.length <= maxPairs
  const of = isFew
    ? { _id: { $in: rooms.flatMap((room) => users.map((user) => key(app, room, user))) } }
    : { userKey: { $in: users.map((user) => key(app, user)) } }
  const wanted = new Set(rooms)
  const sharing = new Set<string>()
  const found = db.memberships.find(of).project<Pick<MembershipDoc, 'user' | 'room'>>({ _id: 0, user: 1, room: 1 })
  for await (const { user, room } of found) if (wanted.has(room)) sharing.add(user)
  return sharing
}

type RoomOfUser = Pick<MembershipDoc, 'room' | 'joinedAtMS'>

/** The rooms of many users: one list per user, in the order of `users`. */
export async function findRoomsOfUsers(db: Db, users: readonly AppUser[]): Promise<RoomOfUser[][]> {
  const keys = users.map(({ app, user }) => key(app, user))
  const rooms = new Map<string, RoomOfUser[]>(keys.map((userKey) => [userKey, []]))
  const found = db.memberships
    .find({ userKey: { $in: [...rooms.keys()] } })
    .project<RoomOfUser & Pick<MembershipDoc, 'userKey'>>({ _id: 0, userKey: 1, room: 1, joinedAtMS: 1 })
  for await (const { userKey, room, joinedAtMS } of found) rooms.get(userKey)?.push({ room, joinedAtMS })
  return keys.map((userKey) => rooms.get(userKey) ?? [])
}

/** The IDs of the rooms that users muted, without deleted rooms (`mute` of the User; the same fact as `pref.muted`). */
export async function findMutedRooms(db: Db, app: string, users: readonly string[]): Promise<Map<string, string[]>> {
  const keys = users.map((user) => key(app, user))
  const muted = await findMutedRoomsByKey(db, keys)
  return new Map(users.map((user) => [user, muted.get(key(app, user)) ?? []]))
}

/** Like findMutedRooms, for users of any apps, by `key(app, user)`. */
export async function findMutedRoomsByKey(db: Db, users: readonly string[]): Promise<Map<string, string[]>> {
  const muted = await db.memberships
    .find({ userKey: { $in: [...users] }, ...isMuted })
    .project<Pick<MembershipDoc, 'userKey' | 'room' | 'roomKey'>>({ _id: 0, userKey: 1, room: 1, roomKey: 1 })
    .sort({ _id: 1 })
    .toArray()
  const deleted = await findDeletedRooms(db, [...new Set(muted.map(({ roomKey }) => roomKey))])
  const shown = muted.filter(({ roomKey }) => !deleted.has(roomKey))
  const byUser = Map.groupBy(shown, ({ userKey }) => userKey)
  return new Map([...byUser].map(([user, rooms]) => [user, rooms.map(({ room }) => room)]))
}
