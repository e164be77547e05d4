import { hidePresencePref, type UserPresence } from '@parley/contracts/resources/presence'
import { type AppUser, key } from '@parley/db/keys'
import { findDeletedRooms } from '@parley/db/rooms/erasing-rooms'
import { findRoomIdsOfUser, findUsersInRooms } from '@parley/db/rooms/rooms-of-users'
import { findBlockersOf } from '@parley/db/users/blocks'
import { findLastSeen } from '@parley/db/users/logins'
import { findUsersWithPref } from '@parley/db/users/prefs'
import type { Presence } from '@parley/presence/connect'
import { findUserStates } from '@parley/presence/user-states'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'

/** The presence of users who share a room with the caller. @throws ApiError TOO_MANY_REQUESTS */
export async function readPresence(
  chat: Chat,
  presence: Presence,
  caller: UserCaller,
  clients: readonly string[],
): Promise<{ clients: UserPresence[] }> {
  const watchable = await findWatchable(chat, caller, [...new Set(clients)])
  const { states, isComplete } = await findUserStates(presence, caller.app, [...watchable.keys()], chat.control.nodes())
  const absent = isComplete ? 'offline' : 'unknown'
  return {
    clients: [...watchable].map(([client, rights]) => toPresenceView(client, rights, states.get(client) ?? absent)),
  }
}

export interface Watchable {
  /** False for hidden users and for users who blocked the caller. They appear offline. */
  isShown: boolean
  /** Time of their last connection, recorded by closed sockets and logins. */
  lastSeenMS?: number
}

/**
 * The users who share a room with the caller, in order. Only their presence is visible (docs/reference/presence.md).
 * Few lookups run at once per app; others wait.
 * @throws ApiError TOO_MANY_REQUESTS
 */
export function findWatchable(
  { db, limits }: Pick<Chat, 'db' | 'limits'>,
  { app, user }: AppUser,
  clients: readonly string[],
): Promise<Map<string, Watchable>> {
  return limits.presence({ app, user }, async () => {
    const rooms = await findRoomIdsOfUser(db, app, user)
    const keys = rooms.map((room) => key(app, room))
    const deleted = await findDeletedRooms(db, keys)
    const living = rooms.filter((room) => !deleted.has(key(app, room)))
    const sharing = [...(await findUsersInRooms(db, app, clients, living))]
    const [seen, blockers, hidden] = await Promise.all([
      findLastSeen(db, app, sharing),
      findBlockersOf(db, app, user, sharing),
      findUsersWithPref(db, app, sharing, { name: hidePresencePref, json: 'true' }),
    ])
    return new Map(
      clients.flatMap((client): [string, Watchable][] => {
        if (!seen.has(client)) return []
        const lastSeenMS = seen.get(client)
        const isShown = !blockers.has(client) && !hidden.has(client)
        return [[client, { isShown, ...(isShown && lastSeenMS !== undefined && { lastSeenMS }) }]]
      }),
    )
  })
}

export function toPresenceView(client: string, rights: Watchable, state: UserPresence['state']): UserPresence {
  // A hidden user is `unknown` while others are; otherwise this would reveal that they hide.
  if (!rights.isShown) return stateView(client, state === 'unknown' ? 'unknown' : 'offline')
  const { lastSeenMS } = rights
  return { ...stateView(client, state), ...(state === 'offline' && lastSeenMS !== undefined && { lastSeenMS }) }
}

/** A user's presence without times. */
export function stateView(client: string, state: UserPresence['state']): UserPresence {
  return { client, state, ...(state !== 'unknown' && { online: state !== 'offline', away: state === 'away' }) }
}
