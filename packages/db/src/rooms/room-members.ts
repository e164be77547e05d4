import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { maxMembersShown } from '@parley/contracts/resources/room'
import type { Filter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { findPage, type PagePosition } from '../find-page.ts'
import { key, ofRoom } from '../keys.ts'
import { StaleReadError } from '../transactions/transaction.ts'
import { findBlocks } from '../users/blocks.ts'
import { findBansAmong } from './bans.ts'
import { type BlockMark, marksOf } from './blocked-members.ts'
import type { MembershipDoc, RoomDoc } from './documents.ts'
import { hasInvitations } from './invitations.ts'
import type { JoiningFacts } from './joining-facts.ts'
import { newVersion } from './version.ts'

export interface Joining {
  room: Pick<RoomDoc, 'app' | 'id' | 'roomType' | 'seq' | 'clockMS'>
  users: readonly string[]
}

/** Makes users members of new rooms, with nothing unread. New rooms have no bans, but direct ones can have blocks. */
export async function insertMemberships(db: Db, joining: readonly Joining[], session: Session): Promise<void> {
  const blocked = marksOf([], await findBlockedByOther(db, joining, session))
  await insertDocuments(db, joining, blocked, session)
}

/** Writes memberships that begin at their rooms' current time. @param blocked marks of read-only ones, by ID */
async function insertDocuments(
  db: Db,
  joining: readonly Joining[],
  blocked: ReadonlyMap<string, BlockMark>,
  session: Session,
): Promise<void> {
  const documents = joining.flatMap(({ room: { app, id, seq, clockMS }, users }) =>
    users.map((user) => ({
      _id: key(app, id, user),
      app,
      room: id,
      roomKey: key(app, id),
      user,
      userKey: key(app, user),
      joinedAtMS: clockMS,
      readSeq: seq,
      uncounted: 0,
      ...(seq > 0 && { hiddenUpToSeq: seq }),
      ...blocked.get(key(app, id, user)),
    })),
  )
  for (const part of inParts(documents, 5_000)) await db.memberships.insertMany(part, { session })
}

export async function findMembersAmong(
  db: Db,
  room: Pick<RoomDoc, 'app' | 'id'>,
  users: readonly string[],
  session?: Session,
): Promise<Set<string>> {
  if (users.length === 0) return new Set()
  const ids = users.map((user) => key(room.app, room.id, user))
  const found = await db.memberships
    .find({ _id: { $in: ids } }, { projection: { user: 1 }, ...(session && { session }) })
    .toArray()
  return new Set(found.map(({ user }) => user))
}

type MemberOfPage = Pick<MembershipDoc, 'user' | 'readSeq' | 'deliveredSeq'>

export async function findMemberPage(db: Db, roomKey: string, skip: number, limit: number): Promise<MemberOfPage[]> {
  return db.memberships
    .find(ofRoom(roomKey))
    .project<MemberOfPage>({ _id: 0, user: 1, readSeq: 1, deliveredSeq: 1 })
    .sort({ joinedAtMS: 1, _id: 1 })
    .skip(skip)
    .limit(limit)
    .toArray()
}

export async function findMembersAfter(
  db: Db,
  roomKey: string,
  after: PagePosition | undefined,
  limit: number,
): Promise<MembershipDoc[]> {
  return findPage(db.memberships, ofRoom(roomKey), { time: 'joinedAtMS', id: '_id', order: 1 }, { after, limit })
}

/** Makes users members, in a transaction, and returns the changed room. */
export async function addMembersTo(
  db: Db,
  room: RoomDoc,
  users: readonly string[],
  session: Session,
): Promise<RoomDoc> {
  const [after] = await addMembersToRooms(db, [{ room, users }], session)
  return after ?? room
}

/**
 * Like addMembersTo, for many groups in few round trips. Returns the changed rooms. The rooms may have been read before
 * the transaction.
 * @param facts the users' bans and invitations, read after the rooms; by default read here
 * @throws StaleReadError if a room has changed since it was read
 */
export async function addMembersToRooms(
  db: Db,
  joining: readonly (Joining & { room: RoomDoc })[],
  session: Session,
  facts?: Pick<JoiningFacts, 'bans' | 'invitations'>,
): Promise<RoomDoc[]> {
  const withUsers = joining.filter(({ users }) => users.length > 0)
  if (withUsers.length === 0) return []
  const changes = withUsers.map(({ room, users }) => {
    // Later than every message and join before, and earlier than those after, which advance the clock.
    const nowMS = Math.max(clock.now(), room.clockMS + 1)
    const fields = {
      memberCount: room.memberCount + users.length,
      firstMembers: [...room.firstMembers, ...users].slice(0, maxMembersShown),
      clockMS: nowMS,
      joinedAtMS: nowMS,
    }
    return { before: room, fields, after: { ...room, ...fields }, users }
  })
  const memberships = withUsers.flatMap(({ room, users }) => users.map((user) => key(room.app, room.id, user)))
  const [blocked, invited, { matchedCount }] = await Promise.all([
    // Read concurrently, outside the transaction: a ban that is missed here also writes the room, and conflicts.
    facts ? marksOf(facts.bans, []) : findBlocked(db, withUsers),
    facts ? facts.invitations.length > 0 : hasInvitations(db, memberships),
    // Write the rooms first, so that the loser of a race restarts before doing the rest.
    db.rooms.bulkWrite(
      changes.map(({ before, fields }) => ({
        updateOne: { filter: isUnchanged(before), update: { $set: fields, ...newVersion() } },
      })),
      { session, ordered: false },
    ),
  ])
  if (matchedCount < changes.length) throw new StaleReadError('a room has changed since it was read')
  const joined = changes.map(({ after: room, users }) => ({ room, users }))
  await insertDocuments(db, joined, blocked, session)
  if (invited) await db.invitations.deleteMany({ _id: { $in: memberships } }, { session })
  return changes.map(({ after }) => after)
}

/** `version` changes with members and bans. New members have read up to `seq`, and join after `clockMS`. */
function isUnchanged({ _id, version, seq, clockMS }: RoomDoc): Filter<RoomDoc> {
  return { _id, version: version ?? { $exists: false }, seq, clockMS }
}

export async function findFirstMembers(db: Db, room: RoomDoc, session: Session): Promise<string[]> {
  const first = await db.memberships
    .find(ofRoom(room._id), { session, projection: { user: 1 } })
    .sort({ joinedAtMS: 1, _id: 1 })
    .limit(maxMembersShown)
    .toArray()
  return first.map(({ user }) => user)
}

/** Marks of read-only memberships, by ID: users banned in the room, or blocked by the other of a direct room. */
export async function findBlocked(
  db: Db,
  joining: readonly Joining[],
  session?: Session,
): Promise<Map<string, BlockMark>> {
  const groups = joining.filter(({ room }) => room.roomType === 'group')
  // A ban has the key of its membership.
  const keys = groups.flatMap(({ room: { app, id }, users }) => users.map((user) => key(app, id, user)))
  const banned = await findBansAmong(db, keys, session)
  const byOther = await findBlockedByOther(db, joining, session)
  return marksOf(banned, byOther)
}

async function findBlockedByOther(db: Db, joining: readonly Joining[], session?: Session): Promise<string[]> {
  const direct = joining.filter(({ room }) => room.roomType === 'direct')
  const members = direct.flatMap(({ room: { app, id }, users }) =>
    users.flatMap((user) =>
      users
        .filter((other) => other !== user)
        .map((other) => ({ block: key(app, other, user), membership: key(app, id, user) })),
    ),
  )
  const ids = members.map(({ block }) => block)
  const blocks = await findBlocks(db, ids, session)
  return members.filter(({ block }) => blocks.has(block)).map(({ membership }) => membership)
}
