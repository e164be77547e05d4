import type { UserPresence } from '@parley/contracts/resources/presence'
import type { Watchable } from '../presence/watchable-users.ts'

/** How a user is, as who may know `rights` of them sees it. */
export function toPresenceView(client: string, rights: Watchable, state: UserPresence['state']): UserPresence {
  // Who hides is unknown too when the others are: else it would show that they hide.
  if (!rights.isShown) return stateView(client, state === 'unknown' ? 'unknown' : 'offline')
  const { lastSeenMS } = rights
  return { ...stateView(client, state), ...(state === 'offline' && lastSeenMS !== undefined && { lastSeenMS }) }
}

/** How a user is, and nothing of when they were there. */
export function stateView(client: string, state: UserPresence['state']): UserPresence {
  return { client, state, ...(state !== 'unknown' && { online: state !== 'offline', away: state === 'away' }) }
}
