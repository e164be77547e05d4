import { ApiError } from '@parley/contracts/errors'
import type { Db, Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findBan } from '@parley/db/rooms/bans'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { findJoiningFacts, type JoiningFacts } from '@parley/db/rooms/joining-facts'
import { lockRoomWithoutFlush } from '@parley/db/rooms/lock-room'
import { findMembership } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import { findUser } from '@parley/db/users/users'
import { type Caller, userOf } from './caller.ts'

/** Highest first. Each role includes the rights of those after it. */
const roles = ['integrator', 'platform admin', 'owner', 'manager', 'member'] as const
export type Role = (typeof roles)[number]

export interface InRoom {
  room: RoomDoc
  role: Role
  membership: MembershipDoc | undefined
}

type FindRoom = (db: Db, app: string, id: string, session: Session) => Promise<RoomDoc | null>

/**
 * The room and the caller's role, for changes in the room. A banned user can only read and leave, whatever their role
 * (docs/reference/moderation.md#bans). Locks the room unless `find` says otherwise: a change that reads first would
 * restart at every send, and never end in a busy room.
 * @throws ApiError USER_BLOCKED, and as findRole
 */
export async function findActingRole(
  chat: { db: Db },
  by: Caller,
  roomId: string,
  session: Session,
  find: FindRoom = lockRoomWithoutFlush,
): Promise<InRoom> {
  const found = await findRole(chat, by, roomId, session, find)
  if (await isBanned(chat.db, by, found, session)) throw new ApiError('USER_BLOCKED')
  return found
}

/** A platform admin can be banned in a group without being a member of it. */
async function isBanned(db: Db, by: Caller, { room, membership }: InRoom, session: Session): Promise<boolean> {
  if (by.kind === 'integrator' || room.roomType === 'direct') return false
  return membership ? isBlocked(membership) : (await findBan(db, by.app, room.id, by.user, session)) !== null
}

/**
 * The room and the caller's role, for reading the room and leaving it.
 * @throws ApiError ROOM_NOT_FOUND; NOT_ROOM_MEMBER for a user outside the room, unless a platform admin
 */
export async function findRole(
  { db }: { db: Db },
  by: Caller,
  roomId: string,
  session: Session,
  find: FindRoom = findRoom,
): Promise<InRoom> {
  const room = await find(db, by.app, roomId, session)
  const isUser = room && !room.deletedAt && by.kind === 'user'
  const membership = isUser ? await findMembership(db, by.app, roomId, by.user, session) : undefined
  const isAdmin = isUser ? (await findUser(db, by.app, by.user, session))?.isAdmin : false
  const found = roleIn(by, roomId, { room, membership: membership ?? undefined, isAdmin: isAdmin === true })
  if (found instanceof ApiError) throw found
  return found
}

/** The caller's role, from a room and membership already read; an ApiError if there is none. */
function roleIn(
  by: Caller,
  roomId: string,
  found: { room: RoomDoc | null | undefined; membership: MembershipDoc | undefined; isAdmin: boolean },
): InRoom | ApiError {
  const { room, membership, isAdmin } = found
  if (!room || room.deletedAt) return new ApiError('ROOM_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
  if (by.kind === 'integrator') return { room, role: 'integrator', membership: undefined }
  if (isAdmin) return { room, role: 'platform admin', membership }
  if (!membership) return new ApiError('NOT_ROOM_MEMBER', 'the caller is not a member of the room')
  if (room.owner === by.user) return { room, role: 'owner', membership }
  return { room, role: room.managers.includes(by.user) ? 'manager' : 'member', membership }
}

export function isAtLeast(role: Role, least: Role): boolean {
  return roles.indexOf(role) <= roles.indexOf(least)
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS */
export function requireRole(role: Role, least: Role, what: string): void {
  if (isAtLeast(role, least)) return
  const may = roles.slice(1, roles.indexOf(least) + 1).join(', ')
  throw new ApiError('INSUFFICIENT_PERMISSIONS', `${what} only by: ${may}`)
}

/**
 * Like findActingRole, for many concurrent additions in one round trip. Also reads the facts and profiles of `invitees`
 * that decide whether they can join.
 * @param orderingKeys ordering keys of the rooms, whose waiting events are read too
 * @param session see findJoiningFacts
 */
export async function findActingRoles(
  db: Db,
  wanted: readonly { by: Caller; roomId: string; invitees: readonly string[] }[],
  orderingKeys: readonly string[],
  session?: Session,
): Promise<{ roles: (InRoom | ApiError)[]; facts: JoiningFacts }> {
  const involved = wanted.flatMap(({ by, roomId, invitees }) =>
    [...invitees, ...(by.kind === 'user' ? [by.user] : [])].map((user) => ({ app: by.app, roomId, user })),
  )
  const ids = {
    rooms: [...new Set(wanted.map(({ by, roomId }) => key(by.app, roomId)))],
    memberships: [...new Set(involved.map(({ app, roomId, user }) => key(app, roomId, user)))],
    users: [...new Set(involved.map(({ app, user }) => key(app, user)))],
    orderingKeys,
  }
  const facts = await findJoiningFacts(db, ids, session)
  const byId = <T extends { _id: string }>(documents: readonly T[]) => new Map(documents.map((one) => [one._id, one]))
  const [rooms, memberships, users, bans] = [
    byId(facts.rooms),
    byId(facts.memberships),
    byId(facts.users),
    byId(facts.bans),
  ]
  const roles = wanted.map(({ by, roomId }): InRoom | ApiError => {
    const user = userOf(by)
    const own = user === undefined ? '' : key(by.app, roomId, user)
    const membership = memberships.get(own)
    const profile = user === undefined ? undefined : users.get(key(by.app, user))
    const isAdmin = profile?.isAdmin === true && !profile.groupMembers
    const role = roleIn(by, roomId, { room: rooms.get(key(by.app, roomId)), membership, isAdmin })
    if (role instanceof ApiError || role.room.roomType === 'direct') return role
    // A platform admin can be banned without being a member.
    const isBanned = membership ? isBlocked(membership) : bans.has(own)
    return isBanned ? new ApiError('USER_BLOCKED') : role
  })
  return { roles, facts }
}
