import { ApiError } from '@parley/contracts/errors'
import { findMembership, type MembershipDoc } from '@parley/db/memberships'
import { findRoom, type RoomDoc } from '@parley/db/rooms'
import type { Session } from '@parley/db/transaction'
import { findUser } from '@parley/db/users'
import type { Chat } from './chat.ts'

/** Who does something to a room: a user, or with `user` undefined the integrator by the API key. */
export interface Actor {
  app: string
  user: string | undefined
}

/** The highest first: what one may, all before it may too. */
const roles = ['integrator', 'platform admin', 'owner', 'manager', 'member'] as const
export type Role = (typeof roles)[number]

/**
 * The room, and what the actor is in it.
 * @throws ApiError ROOM_NOT_FOUND; NOT_ROOM_MEMBER for who is none and no platform admin either
 */
export async function findRole(
  { db }: Chat,
  { app, user }: Actor,
  roomId: string,
  session: Session,
): Promise<{ room: RoomDoc; role: Role; membership: MembershipDoc | undefined }> {
  const room = await findRoom(db, app, roomId, session)
  if (!room || room.deletedAt) throw new ApiError('ROOM_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
  if (user === undefined) return { room, role: 'integrator', membership: undefined }
  const membership = (await findMembership(db, app, roomId, user, session)) ?? undefined
  if ((await findUser(db, app, user, session))?.isAdmin) return { room, role: 'platform admin', membership }
  if (!membership) throw new ApiError('NOT_ROOM_MEMBER', 'the caller is not a member of the room')
  if (room.owner === user) return { room, role: 'owner', membership }
  return { room, role: room.managers.includes(user) ? 'manager' : 'member', membership }
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
