import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { findJoiningFacts, type JoiningFacts } from '@parley/db/rooms/joining-facts'
import { type Caller, userOf } from './caller.ts'
import { type InRoom, roleIn } from './room-role.ts'

/**
 * The rooms and the callers' roles, as findActingRole finds each, for many concurrent additions in one round trip; and
 * the facts about `invitees` that decide, with their profiles.
 * @param orderingKeys ordering keys of the rooms: their waiting events are read too
 */
export async function findActingRoles(
  db: Db,
  wanted: readonly { by: Caller; roomId: string; invitees: readonly string[] }[],
  orderingKeys: readonly string[],
): Promise<{ roles: (InRoom | ApiError)[]; facts: JoiningFacts }> {
  const involved = wanted.flatMap(({ by, roomId, invitees }) =>
    [...invitees, ...(by.kind === 'user' ? [by.user] : [])].map((user) => ({ app: by.app, roomId, user })),
  )
  const facts = await findJoiningFacts(db, {
    rooms: [...new Set(wanted.map(({ by, roomId }) => key(by.app, roomId)))],
    memberships: [...new Set(involved.map(({ app, roomId, user }) => key(app, roomId, user)))],
    users: [...new Set(involved.map(({ app, user }) => key(app, user)))],
    orderingKeys,
  })
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
    // A platform admin may be banned without being a member.
    const isBanned = membership ? isBlocked(membership) : bans.has(own)
    return isBanned ? new ApiError('USER_BLOCKED') : role
  })
  return { roles, facts }
}
