import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { ClientSession, IndexDescription } from 'mongodb'
import { findBanned } from './bans.ts'
import { findBlockersOf } from './blocks.ts'
import type { Db } from './connect.ts'
import { key } from './keys.ts'
import type { RoomDoc } from './rooms.ts'
import { ChangedMeanwhile } from './transaction.ts'

export interface MembershipDoc {
  /** key(app, room, user) */
  _id: string
  app: string
  room: string
  roomKey: string
  user: string
  userKey: string
  joinedAtMS: number
  /** The read marker: seq of the last message that the user has read. */
  readSeq: number
  /** Messages after the marker that do not count as unread: own ones, deleted for all, deleted by this user. */
  uncounted: number
  /** Banned in this room, or in a direct room blocked by the other user: may read but not send. */
  blocked?: true
  pref?: StoredPref
}

/** The colours are kept as JSON text: a tag may be called anything. */
type StoredPref = Partial<Omit<RoomPref, 'tagColors'> & { tagColors: string }>

export const membershipIndexes: IndexDescription[] = [
  { key: { userKey: 1 } },
  { key: { roomKey: 1, joinedAtMS: 1, _id: 1 } },
  { key: { roomKey: 1, readSeq: 1 } },
  { key: { userKey: 1, 'pref.muted': 1 }, partialFilterExpression: { 'pref.muted': true } },
]

/** The read marker, and how many of the messages after it do not count as unread. */
export type ReadMarker = Pick<MembershipDoc, 'readSeq' | 'uncounted'>

/**
 * The marker as it holds now. Deleting all messages of a room writes the room alone, so a membership may still
 * hold what was before: then everything up to the room's mark is read, and nothing after it was noted yet.
 * Whoever writes `uncounted` begins from this.
 */
export function currentMarker({ readSeq, uncounted }: ReadMarker, room: Pick<RoomDoc, 'deletedUpToSeq'>): ReadMarker {
  const deletedUpTo = room.deletedUpToSeq ?? 0
  return deletedUpTo > readSeq ? { readSeq: deletedUpTo, uncounted: 0 } : { readSeq, uncounted }
}

/** Unread messages of a member: exact, without counting anything (design.md, "Data"). */
export function unreadOf(membership: ReadMarker, room: Pick<RoomDoc, 'seq' | 'deletedUpToSeq'>): number {
  const { readSeq, uncounted } = currentMarker(membership, room)
  return room.seq - readSeq - uncounted
}

export async function findMembership(
  db: Db,
  app: string,
  room: string,
  user: string,
  session?: ClientSession,
): Promise<MembershipDoc | null> {
  return db.memberships.findOne({ _id: key(app, room, user) }, { ...(session && { session }) })
}

/** All memberships of a user: what his room list, badge and socket rooms are made of. */
export async function findMembershipsOfUser(db: Db, app: string, user: string): Promise<MembershipDoc[]> {
  return db.memberships.find({ userKey: key(app, user) }).toArray()
}

/** What decides whether a member is pushed a message. */
export type MemberToPush = Pick<MembershipDoc, 'user' | 'joinedAtMS' | 'readSeq' | 'blocked' | 'pref'>

/** All members of a room in pages, always in the same order: those who came first come first. */
export async function* pageMembers(db: Db, roomKey: string, perPage: number): AsyncGenerator<MemberToPush[]> {
  const members = db.memberships
    .find({ roomKey })
    .sort({ joinedAtMS: 1, _id: 1 })
    .project<MemberToPush>({ _id: 0, user: 1, joinedAtMS: 1, readSeq: 1, blocked: 1, 'pref.muted': 1 })
    .batchSize(perPage)
  let page: MemberToPush[] = []
  for await (const member of members) {
    page.push(member)
    if (page.length < perPage) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

/** The IDs of the rooms that a user is in; one index, no documents of rooms. */
export async function findRoomIdsOfUser(db: Db, app: string, user: string): Promise<string[]> {
  const [rooms = []] = await findRoomIdsOfUsers(db, [{ app, user }])
  return rooms
}

/** The IDs of the rooms of many users; one list per user, in their order. */
export async function findRoomIdsOfUsers(db: Db, users: readonly { app: string; user: string }[]): Promise<string[][]> {
  const keys = users.map(({ app, user }) => key(app, user))
  const rooms = new Map<string, string[]>(keys.map((userKey) => [userKey, []]))
  const found = db.memberships
    .find({ userKey: { $in: [...rooms.keys()] } })
    .project<Pick<MembershipDoc, 'userKey' | 'room'>>({ _id: 0, userKey: 1, room: 1 })
  for await (const { userKey, room } of found) rooms.get(userKey)?.push(room)
  return keys.map((userKey) => rooms.get(userKey) ?? [])
}

/** The IDs of the rooms that users muted (`mute` of the User; the same fact as `pref.muted`), by user. */
export async function findMutedRooms(db: Db, app: string, users: readonly string[]): Promise<Map<string, string[]>> {
  const muted = await db.memberships
    .find({ userKey: { $in: users.map((user) => key(app, user)) }, 'pref.muted': true })
    .project<Pick<MembershipDoc, 'user' | 'room'>>({ _id: 0, user: 1, room: 1 })
    .sort({ _id: 1 })
    .toArray()
  const byUser = Map.groupBy(muted, ({ user }) => user)
  return new Map([...byUser].map(([user, rooms]) => [user, rooms.map(({ room }) => room)]))
}

/** How many more own messages a member has, and what his marker was before. */
export interface OwnMessages {
  membership: MembershipDoc
  room: RoomDoc
  count: number
}

/**
 * Own messages never count as unread: notes for each sender how many more of them there are.
 * @throws ChangedMeanwhile when one of them may not send any more, or his marker is not as current as it was read
 */
export async function countOwnMessages(db: Db, sent: readonly OwnMessages[], session: ClientSession): Promise<void> {
  const updates = sent.map(({ membership, room, count }) => {
    const { readSeq, uncounted } = currentMarker(membership, room)
    const allowed = { _id: membership._id, blocked: { $exists: false } }
    return readSeq === membership.readSeq
      ? { updateOne: { filter: { ...allowed, readSeq: { $gte: readSeq } }, update: { $inc: { uncounted: count } } } }
      : {
          updateOne: {
            filter: { ...allowed, readSeq: membership.readSeq },
            update: { $set: { readSeq, uncounted: uncounted + count } },
          },
        }
  })
  const { matchedCount } = await db.memberships.bulkWrite(updates, { session, ordered: false })
  if (matchedCount < updates.length) throw new ChangedMeanwhile('a membership has changed')
}

/**
 * A message that was deleted for all no longer counts as unread: notes it for every member who has it after
 * his marker, except those for whom it never counted (its sender, and who deleted it for himself).
 */
export async function uncountDeleted(
  db: Db,
  room: RoomDoc,
  seq: number,
  except: readonly string[],
  session: ClientSession,
): Promise<void> {
  const deletedUpTo = room.deletedUpToSeq ?? 0
  const members = { roomKey: room._id, user: { $nin: [...except] } }
  // First the markers that are current, because the others become so; see currentMarker.
  const current = { ...members, readSeq: { $gte: deletedUpTo, $lt: seq } }
  await db.memberships.updateMany(current, { $inc: { uncounted: 1 } }, { session })
  if (deletedUpTo > 0) {
    const stale = { ...members, readSeq: { $lt: deletedUpTo } }
    await db.memberships.updateMany(stale, { $set: { readSeq: deletedUpTo, uncounted: 1 } }, { session })
  }
}

/** Makes users members of a room who have nothing unread; whoever is banned there may only read. */
export async function insertMemberships(
  db: Db,
  room: Pick<RoomDoc, 'app' | 'id' | 'roomType' | 'seq'>,
  users: readonly string[],
  session: ClientSession,
): Promise<void> {
  const { app, id, seq } = room
  const joinedAtMS = Date.now()
  const blocked = await findBlocked(db, room, users, session)
  const documents = users.map((user) => ({
    _id: key(app, id, user),
    app,
    room: id,
    roomKey: key(app, id),
    user,
    userKey: key(app, user),
    joinedAtMS,
    readSeq: seq,
    uncounted: 0,
    ...(blocked.has(user) && { blocked: true as const }),
  }))
  for (let i = 0; i < documents.length; i += 5_000) {
    await db.memberships.insertMany(documents.slice(i, i + 5_000), { session })
  }
}

/** Which of these users are members of the room. */
export async function findMembersAmong(
  db: Db,
  room: Pick<RoomDoc, 'app' | 'id'>,
  users: readonly string[],
  session?: ClientSession,
): Promise<Set<string>> {
  if (users.length === 0) return new Set()
  const ids = users.map((user) => key(room.app, room.id, user))
  const found = await db.memberships
    .find({ _id: { $in: ids } }, { projection: { user: 1 }, ...(session && { session }) })
    .toArray()
  return new Set(found.map(({ user }) => user))
}

/** A page of the members of a room, those who came first come first. */
export async function findMemberPage(db: Db, roomKey: string, skip: number, limit: number): Promise<string[]> {
  const page = await db.memberships
    .find({ roomKey }, { projection: { user: 1 } })
    .sort({ joinedAtMS: 1, _id: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
  return page.map(({ user }) => user)
}

/** Makes users who are no members ones, inside a transaction; answers the room as it is then. */
export async function addMembersTo(
  db: Db,
  room: RoomDoc,
  users: readonly string[],
  maxShown: number,
  session: ClientSession,
): Promise<RoomDoc> {
  if (users.length === 0) return room
  await insertMemberships(db, room, users, session)
  const memberCount = room.memberCount + users.length
  const firstMembers = [...room.firstMembers, ...users].slice(0, maxShown)
  await db.rooms.updateOne({ _id: room._id }, { $set: { memberCount, firstMembers } }, { session })
  return { ...room, memberCount, firstMembers }
}

/**
 * Takes users out of a room, inside a transaction: their memberships, and what the room itself says of them. Answers
 * the room as it is then, and who of them was a member.
 */
export async function removeMembers(
  db: Db,
  room: RoomDoc,
  users: readonly string[],
  maxShown: number,
  session: ClientSession,
): Promise<{ room: RoomDoc; removed: string[] }> {
  const members = { _id: { $in: users.map((user) => key(room.app, room.id, user)) } }
  const found = await db.memberships.find(members, { session, projection: { user: 1 } }).toArray()
  const removed = found.map(({ user }) => user)
  if (removed.length === 0) return { room, removed }
  await db.memberships.deleteMany(members, { session })
  const left = await db.memberships
    .find({ roomKey: room._id }, { session, projection: { user: 1 } })
    .sort({ joinedAtMS: 1, _id: 1 })
    .limit(maxShown)
    .toArray()
  const isOwnerGone = room.owner !== undefined && removed.includes(room.owner)
  const after = await db.rooms.findOneAndUpdate(
    { _id: room._id },
    {
      $set: { memberCount: room.memberCount - removed.length, firstMembers: left.map(({ user }) => user) },
      $pull: { managers: { $in: removed } },
      ...(isOwnerGone && { $unset: { owner: 1 as const } }),
    },
    { session, returnDocument: 'after' },
  )
  return { room: after ?? room, removed }
}

/** Who of the users may only read in the room: banned there, or in a direct room blocked by the other. */
async function findBlocked(
  db: Db,
  { app, id, roomType }: Pick<RoomDoc, 'app' | 'id' | 'roomType'>,
  users: readonly string[],
  session: ClientSession,
): Promise<Set<string>> {
  if (roomType === 'group') return findBanned(db, app, id, users, session)
  const blocked = new Set<string>()
  for (const user of users) {
    const others = users.filter((other) => other !== user)
    if ((await findBlockersOf(db, app, user, others, session)).size > 0) blocked.add(user)
  }
  return blocked
}

/** Sets the given preferences of a member; null when he is none. */
export async function updatePref(
  db: Db,
  app: string,
  room: string,
  user: string,
  change: Partial<RoomPref>,
): Promise<MembershipDoc | null> {
  const _id = key(app, room, user)
  const fields = Object.entries(change).map(([name, value]) => [
    `pref.${name}`,
    name === 'tagColors' ? JSON.stringify(value) : value,
  ])
  if (fields.length === 0) return db.memberships.findOne({ _id })
  return db.memberships.findOneAndUpdate({ _id }, { $set: Object.fromEntries(fields) }, { returnDocument: 'after' })
}

/** Notes whether a member may only read, if he is one. */
export async function setBlocked(
  db: Db,
  { app, room, user }: { app: string; room: string; user: string },
  blocked: boolean,
  session: ClientSession,
): Promise<void> {
  const update = blocked ? { $set: { blocked: true as const } } : { $unset: { blocked: 1 as const } }
  await db.memberships.updateOne({ _id: key(app, room, user) }, update, { session })
}

/** Sets the read marker; inside the transaction that counted `uncounted`. */
export async function setReadMarker(
  db: Db,
  membership: string,
  { readSeq, uncounted }: ReadMarker,
  session: ClientSession,
): Promise<void> {
  await db.memberships.updateOne({ _id: membership }, { $set: { readSeq, uncounted } }, { session })
}
