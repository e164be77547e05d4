import type { ClientSession } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import { withoutTail } from '../sending/tails.ts'
import { findBlocks } from '../users/blocks.ts'
import { findBansIn } from './bans.ts'
import { type BlockMark, marksOf, unblocked } from './blocked-members.ts'
import { endInvitations, hasInvitations } from './invitations.ts'
import type { MembershipDoc } from './memberships.ts'
import { moved, type RoomDoc } from './rooms.ts'

/** Users who become members of a room. */
export interface Joining {
  room: Pick<RoomDoc, 'app' | 'id' | 'roomType' | 'seq'>
  users: readonly string[]
}

/** Makes users members of a room with nothing unread; banned users may only read. */
export async function insertMemberships(
  db: Db,
  room: Joining['room'],
  users: readonly string[],
  session: ClientSession,
): Promise<void> {
  await insertMembershipsOf(db, [{ room, users }], session)
}

/** The same in many rooms, in few round trips. @param areNew nobody can be banned in the groups among them yet */
export async function insertMembershipsOf(
  db: Db,
  joining: readonly Joining[],
  session: ClientSession,
  areNew = false,
): Promise<void> {
  await insertDocuments(db, joining, await findBlocked(db, joining, areNew, session), session)
}

/** @param blocked the marks of the memberships that may only read, by ID */
async function insertDocuments(
  db: Db,
  joining: readonly Joining[],
  blocked: ReadonlyMap<string, BlockMark>,
  session: ClientSession,
): Promise<void> {
  const joinedAtMS = Date.now()
  const documents = joining.flatMap(({ room: { app, id, seq }, users }) =>
    users.map((user) => ({
      _id: key(app, id, user),
      app,
      room: id,
      roomKey: key(app, id),
      user,
      userKey: key(app, user),
      joinedAtMS,
      readSeq: seq,
      uncounted: 0,
      ...blocked.get(key(app, id, user)),
    })),
  )
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

/** A member of a page, and how far they have got. */
type MemberOfPage = Pick<MembershipDoc, 'user' | 'readSeq' | 'deliveredSeq'>

/** A page of the members of a room, the longest-standing first. */
export async function findMemberPage(db: Db, roomKey: string, skip: number, limit: number): Promise<MemberOfPage[]> {
  return db.memberships
    .find({ roomKey })
    .project<MemberOfPage>({ _id: 0, user: 1, readSeq: 1, deliveredSeq: 1 })
    .sort({ joinedAtMS: 1, _id: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
}

/** Makes users members, inside a transaction, if they are not; returns the changed room. */
export async function addMembersTo(
  db: Db,
  room: RoomDoc,
  users: readonly string[],
  maxShown: number,
  session: ClientSession,
): Promise<RoomDoc> {
  const [after] = await addMembersToRooms(db, [{ room, users }], maxShown, session)
  return after ?? room
}

/** The same in many rooms, in few round trips; returns those that have new members, as they are then. */
export async function addMembersToRooms(
  db: Db,
  joining: readonly (Joining & { room: RoomDoc })[],
  maxShown: number,
  session: ClientSession,
): Promise<RoomDoc[]> {
  const withUsers = joining.filter(({ users }) => users.length > 0)
  if (withUsers.length === 0) return []
  const after = withUsers.map(({ room, users }) => ({
    ...room,
    memberCount: room.memberCount + users.length,
    firstMembers: [...room.firstMembers, ...users].slice(0, maxShown),
  }))
  const memberships = withUsers.flatMap(({ room, users }) => users.map((user) => key(room.app, room.id, user)))
  const [blocked, invited] = await Promise.all([
    // Bans and invitations are read outside of the transaction, at the same time: a ban that it does not see writes the room
    // too, and conflicts.
    findBlocked(db, withUsers, false),
    hasInvitations(db, memberships),
    // The rooms first, so that the loser of a race for one starts again before it has done the rest.
    db.rooms.bulkWrite(
      after.map(({ _id, memberCount, firstMembers }) => ({
        updateOne: { filter: { _id }, update: { $set: { memberCount, firstMembers }, ...moved() } },
      })),
      { session, ordered: false },
    ),
  ])
  await insertDocuments(db, withUsers, blocked, session)
  if (invited) await db.invitations.deleteMany({ _id: { $in: memberships } }, { session })
  return after
}

/**
 * Removes users from a room, inside a transaction: their memberships, invitations and roles. When the owner is among
 * them, the longest-standing manager, else member, becomes the owner (docs/reference/rooms.md). Returns the changed room,
 * and which of the users were members.
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
  await endInvitations(db, room, removed, session)
  const firstMembers = await findFirstMembers(db, room, maxShown, session)
  const isOwnerGone = room.owner !== undefined && removed.includes(room.owner)
  const owner = isOwnerGone ? await findSuccessor(db, room, session) : undefined
  const after = await db.rooms.findOneAndUpdate(
    { _id: room._id },
    {
      $set: {
        memberCount: room.memberCount - removed.length,
        firstMembers,
        managers: room.managers.filter((manager) => manager !== owner && !removed.includes(manager)),
        ...(owner !== undefined && { owner }),
      },
      ...moved(),
      ...(isOwnerGone && owner === undefined && { $unset: { owner: 1 as const } }),
    },
    { session, returnDocument: 'after', projection: withoutTail },
  )
  return { room: after ?? room, removed }
}

/**
 * Takes a user out of many rooms, inside a transaction, as removeMembers does; the direct ones among them are closed to the
 * other. Returns those where the user was a member, as they are then.
 */
export async function removeFromRooms(
  db: Db,
  rooms: readonly RoomDoc[],
  user: string,
  maxShown: number,
  session: ClientSession,
): Promise<RoomDoc[]> {
  const membershipOf = ({ app, id }: RoomDoc) => key(app, id, user)
  const own = { _id: { $in: rooms.map(membershipOf) } }
  const found = await db.memberships.find(own, { session, projection: { _id: 1 } }).toArray()
  const memberships = new Set(found.map(({ _id }) => _id))
  const left = rooms.filter((room) => memberships.has(membershipOf(room)))
  if (left.length === 0) return []
  await db.memberships.deleteMany(own, { session })
  await db.invitations.deleteMany(own, { session })
  const after: RoomDoc[] = []
  for (const room of left) after.push(await withoutMember(db, room, user, maxShown, session))
  await db.rooms.bulkWrite(
    after.map(({ _id, memberCount, firstMembers, managers, owner, status, pair }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: { memberCount, firstMembers, managers, status, ...(owner !== undefined && { owner }) },
          ...moved(),
          $unset: { ...(owner === undefined && { owner: 1 }), ...(pair === undefined && { pair: 1 }) },
        },
      },
    })),
    { session, ordered: false },
  )
  return after
}

/** What a room is without a member whose membership is deleted already. */
async function withoutMember(
  db: Db,
  room: RoomDoc,
  user: string,
  maxShown: number,
  session: ClientSession,
): Promise<RoomDoc> {
  const { pair: _pair, owner: before, ...rest } = room
  const isShortList = room.memberCount > maxShown && room.firstMembers.includes(user)
  const owner = before === user ? await findSuccessor(db, room, session) : before
  return {
    ...rest,
    memberCount: room.memberCount - 1,
    firstMembers: isShortList
      ? await findFirstMembers(db, room, maxShown, session)
      : room.firstMembers.filter((member) => member !== user),
    managers: room.managers.filter((manager) => manager !== owner && manager !== user),
    ...(owner !== undefined && { owner }),
    ...(room.roomType === 'direct' && { status: 0 as const }),
  }
}

/** The members that lists show: the longest-standing. */
export async function findFirstMembers(
  db: Db,
  room: RoomDoc,
  maxShown: number,
  session: ClientSession,
): Promise<string[]> {
  const first = await db.memberships
    .find({ roomKey: room._id }, { session, projection: { user: 1 } })
    .sort({ joinedAtMS: 1, _id: 1 })
    .limit(maxShown)
    .toArray()
  return first.map(({ user }) => user)
}

/** The next owner of a room: never a banned user, whose ban nobody could lift. */
async function findSuccessor(db: Db, room: RoomDoc, session: ClientSession): Promise<string | undefined> {
  const unbanned = { roomKey: room._id, ...unblocked() }
  const longest = (among: object) =>
    db.memberships.findOne(
      { ...unbanned, ...among },
      { session, sort: { joinedAtMS: 1, _id: 1 }, projection: { user: 1 } },
    )
  const managers = room.managers.map((manager) => key(room.app, room.id, manager))
  return ((await longest({ _id: { $in: managers } })) ?? (await longest({})))?.user
}

/** The marks of the memberships that may only read, by ID: of users who are banned there, or in a direct room blocked by the other. */
async function findBlocked(
  db: Db,
  joining: readonly Joining[],
  areNew: boolean,
  session?: ClientSession,
): Promise<Map<string, BlockMark>> {
  const direct = joining.filter(({ room }) => room.roomType === 'direct')
  const groups = areNew ? [] : joining.filter(({ room }) => room.roomType === 'group')
  // A ban has the key of the membership that it is about.
  const banned = await findBansIn(
    db,
    groups.map(({ room: { app, id } }) => key(app, id)),
    session,
  )
  const byOther = await findBlockedByOther(db, direct, session)
  return marksOf(banned, byOther)
}

async function findBlockedByOther(db: Db, direct: readonly Joining[], session?: ClientSession): Promise<string[]> {
  const members = direct.flatMap(({ room: { app, id }, users }) =>
    users.flatMap((user) =>
      users
        .filter((other) => other !== user)
        .map((other) => ({ block: key(app, other, user), membership: key(app, id, user) })),
    ),
  )
  const blocks = await findBlocks(
    db,
    members.map(({ block }) => block),
    session,
  )
  return members.filter(({ block }) => blocks.has(block)).map(({ membership }) => membership)
}
