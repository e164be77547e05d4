import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import type { Session } from '@parley/db/transactions/transaction'
import { findUsersByKey } from '@parley/db/users/users'
import { type Caller, userOf } from './caller.ts'
import { type InRoom, isBanned, roleIn } from './room-role.ts'

/**
 * The rooms and the callers' roles, as findActingRole finds each, for many who change rooms at the same time, in few round
 * trips; and which of `invitees` are members, by `key(app, room, user)`.
 */
export async function findActingRoles(
  db: Db,
  wanted: readonly { by: Caller; roomId: string; invitees: readonly string[] }[],
  session: Session,
): Promise<{ roles: (InRoom | ApiError)[]; members: Set<string> }> {
  const rooms = await findRoomsByKey(db, [...new Set(wanted.map(({ by, roomId }) => key(by.app, roomId)))], session)
  const roomByKey = new Map(rooms.map((room) => [room._id, room]))
  const named = wanted.flatMap(({ by, roomId, invitees }) =>
    [...invitees, ...(by.kind === 'user' ? [by.user] : [])].map((user) => key(by.app, roomId, user)),
  )
  const found = await findMembershipsByKey(db, [...new Set(named)], session)
  const memberships = new Map(found.map((membership) => [membership._id, membership]))
  const callers = wanted.flatMap(({ by }) => (by.kind === 'user' ? [key(by.app, by.user)] : []))
  const users = await findUsersByKey(db, callers, session)

  const roles: (InRoom | ApiError)[] = []
  for (const { by, roomId } of wanted) {
    const user = userOf(by)
    const membership = user === undefined ? undefined : memberships.get(key(by.app, roomId, user))
    const profile = user === undefined ? undefined : users.get(key(by.app, user))
    const isAdmin = profile?.isAdmin === true && !profile.groupMembers
    const role = roleIn(by, roomId, { room: roomByKey.get(key(by.app, roomId)), membership, isAdmin })
    roles.push(
      role instanceof ApiError || !(await isBanned(db, by, role, session)) ? role : new ApiError('USER_BLOCKED'),
    )
  }
  return { roles, members: new Set(memberships.keys()) }
}
