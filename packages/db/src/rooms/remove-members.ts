import { maxMembersShown } from '@parley/contracts/resources/room'
import type { Db, Session } from '../db.ts'
import { type AppUser, key, ofRoom } from '../keys.ts'
import { withoutBuffer } from '../room-buffer/buffer.ts'
import { unblocked } from './blocked-members.ts'
import type { RoomDoc } from './documents.ts'
import { endInvitations } from './invitations.ts'
import { bumpRoomVersions } from './lock-room.ts'
import { freePairs } from './pairs.ts'
import { findFirstMembers } from './room-members.ts'
import { findRoomsByKey } from './rooms.ts'
import { newVersion } from './version.ts'

/**
 * Removes users from a room, in a transaction: their memberships, invitations and roles. If the owner is removed, the
 * longest-standing manager, or else member, becomes the owner (docs/reference/rooms.md). Returns the changed room, and
 * the users who were members.
 */
export async function removeMembers(
  db: Db,
  room: RoomDoc,
  users: readonly string[],
  session: Session,
): Promise<{ room: RoomDoc; removed: string[] }> {
  const members = { _id: { $in: users.map((user) => key(room.app, room.id, user)) } }
  const found = await db.memberships.find(members, { session, projection: { user: 1 } }).toArray()
  const removed = found.map(({ user }) => user)
  if (removed.length === 0) return { room, removed }
  await db.memberships.deleteMany(members, { session })
  await endInvitations(db, room, removed, session)
  const firstMembers = await findFirstMembers(db, room, session)
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
      ...newVersion(),
      ...(isOwnerGone && owner === undefined && { $unset: { owner: 1 as const } }),
    },
    { session, returnDocument: 'after', projection: withoutBuffer },
  )
  return { room: after ?? room, removed }
}

/**
 * Removes a user from many rooms, in a transaction, like removeMembers. Closes direct rooms for the other user too.
 * Returns the changed rooms that the user was a member of. A membership whose room is missing is removed as well.
 */
export async function removeFromRooms(
  db: Db,
  { app, user }: AppUser,
  ids: readonly string[],
  session: Session,
): Promise<RoomDoc[]> {
  await bumpRoomVersions(
    db,
    ids.map((id) => key(app, id)),
    session,
  )
  const own = { _id: { $in: ids.map((id) => key(app, id, user)) } }
  const found = await db.memberships.find(own, { session, projection: { roomKey: 1 } }).toArray()
  if (found.length === 0) return []
  await db.memberships.deleteMany(own, { session })
  const keys = found.map(({ roomKey }) => roomKey)
  const left = await findRoomsByKey(db, keys, session)
  if (left.length === 0) return []
  await db.invitations.deleteMany(own, { session })
  const pairs = left.flatMap(({ pair }) => pair ?? [])
  await freePairs(db, pairs, session)
  const after: RoomDoc[] = []
  for (const room of left) after.push(await withoutMember(db, room, user, session))
  await db.rooms.bulkWrite(
    after.map(({ _id, memberCount, firstMembers, managers, owner, status, pair }) => ({
      updateOne: {
        filter: { _id },
        update: {
          $set: { memberCount, firstMembers, managers, status, ...(owner !== undefined && { owner }) },
          ...newVersion(),
          $unset: { ...(owner === undefined && { owner: 1 }), ...(pair === undefined && { pair: 1 }) },
        },
      },
    })),
    { session, ordered: false },
  )
  return after
}

async function withoutMember(db: Db, room: RoomDoc, user: string, session: Session): Promise<RoomDoc> {
  const { pair: _pair, owner: before, ...rest } = room
  const isShortList = room.memberCount > maxMembersShown && room.firstMembers.includes(user)
  const owner = before === user ? await findSuccessor(db, room, session) : before
  return {
    ...rest,
    memberCount: room.memberCount - 1,
    firstMembers: isShortList
      ? await findFirstMembers(db, room, session)
      : room.firstMembers.filter((member) => member !== user),
    managers: room.managers.filter((manager) => manager !== owner && manager !== user),
    ...(owner !== undefined && { owner }),
    ...(room.roomType === 'direct' && { status: 0 as const }),
  }
}

/** The next owner of a room. Never a banned member, since no one could lift the owner's ban. */
async function findSuccessor(db: Db, room: RoomDoc, session: Session): Promise<string | undefined> {
  const unbanned = { ...ofRoom(room._id), ...unblocked() }
  const longestStanding = (among: object) =>
    db.memberships.findOne(
      { ...unbanned, ...among },
      { session, sort: { joinedAtMS: 1, _id: 1 }, projection: { user: 1 } },
    )
  const managers = room.managers.map((manager) => key(room.app, room.id, manager))
  return ((await longestStanding({ _id: { $in: managers } })) ?? (await longestStanding({})))?.user
}
