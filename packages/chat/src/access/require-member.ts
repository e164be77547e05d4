import { ApiError } from '@parley/contracts/errors'
import type { Db, Session } from '@parley/db/connect'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { findMembership } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import { lockUser } from '@parley/db/users/lock-user'
import type { Caller, UserCaller } from './caller.ts'

/** The room and the caller's membership of it. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
export async function requireMember(
  chat: { db: Db },
  caller: UserCaller,
  roomId: string,
  session?: Session,
): Promise<{ room: RoomDoc; membership: MembershipDoc }> {
  // A session runs one operation at a time.
  if (session) {
    return requireMemberOf(chat, caller, roomId, await findRoom(chat.db, caller.app, roomId, session), session)
  }
  const [room, membership] = await Promise.all([
    findRoom(chat.db, caller.app, roomId),
    findMembership(chat.db, caller.app, roomId, caller.user),
  ])
  return { room: checkRoom(room, roomId), membership: checkMember(membership) }
}

/** The room, for its members and the integrator. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
export async function requireReader(chat: { db: Db }, caller: Caller, roomId: string): Promise<RoomDoc> {
  if (caller.kind === 'user') return (await requireMember(chat, caller, roomId)).room
  return checkRoom(await findRoom(chat.db, caller.app, roomId), roomId)
}

/** Like requireMember, for a room that has already been read. */
export async function requireMemberOf<R extends RoomDoc>(
  chat: { db: Db },
  caller: { app: string; user: string },
  roomId: string,
  room: R | null | undefined,
  session?: Session,
): Promise<{ room: R; membership: MembershipDoc }> {
  const existing = checkRoom(room, roomId)
  const membership = checkMember(await findMembership(chat.db, caller.app, roomId, caller.user, session))
  return { room: existing, membership }
}

/** @throws ApiError ROOM_NOT_FOUND */
export function checkRoom<R extends Pick<RoomDoc, 'deletedAt'>>(room: R | null | undefined, roomId: string): R {
  if (!room || room.deletedAt) throw new ApiError('ROOM_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
  return room
}

/** @throws ApiError ROOM_FROZEN */
export function requireNotFrozen({ status }: Pick<RoomDoc, 'status'>): void {
  if (status === 0) throw new ApiError('ROOM_FROZEN')
}

/** @throws ApiError NOT_ROOM_MEMBER */
export function checkMember<M>(membership: M | null | undefined): M {
  if (!membership) throw new ApiError('NOT_ROOM_MEMBER', 'the caller is not a member of the room')
  return membership
}

/** Locks the caller first in a transaction: they may have been erased since. @throws ApiError INVALID_TOKEN */
export async function lockCaller(db: Db, { app, user }: UserCaller, session: Session): Promise<void> {
  if (!(await lockUser(db, app, user, session))) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
}
