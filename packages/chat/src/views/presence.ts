import type { UserPresence } from '@parley/contracts/resources/presence'
import type { Watchable } from '../users/read-presence.ts'

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
