import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { listenToPresence, type PresenceEvent } from '@parley/bus/events/presence-events'
import type { Subscription } from '@parley/bus/listen'
import { toPresenceView, type Watchable } from '@parley/chat/users/read-presence'
import type { UserPresence } from '@parley/contracts/resources/presence'
import type { UserStates } from '@parley/presence/user-states'
import type { UserSocket } from '../connections/session.ts'

/** One socket's knowledge of a user that it watches. */
interface Watch {
  rights: Watchable
  /** A user hid, blocked or left a room: rights must be read before anything more is shown. */
  areRightsInDoubt: boolean
  shown: UserPresence
}

export interface WatchedUser {
  app: string
  user: string
  watches: Map<UserSocket, Watch>
  state: UserPresence['state']
  /** In the last known state; it may have become unknown since. */
  wasConnected: boolean
  /** When this node saw the user leave: more recent than the database, and also known if the user's node was killed. */
  goneAtMS: number | undefined
}

interface Entry extends WatchedUser {
  subscription: Subscription
  /** Calls that have opened it and not closed it yet. */
  opened: number
}

/** The users that sockets of this node watch, each with a subscription on the bus. */
export function createWatchedUsers(bus: Bus, onEvent: (watched: WatchedUser, event: PresenceEvent) => void) {
  const entries = new Map<string, Entry>()
  const nameOf = (app: string, user: string) => `${app}\0${user}`

  return {
    get: (app: string, user: string) => entries.get(nameOf(app, user)),
    /** Subscribes to a user's presence, before a socket watches it. */
    open(app: string, user: string) {
      const known = entries.get(nameOf(app, user))
      if (known) {
        known.opened++
        return known
      }
      const subscription = listenToPresence(bus, { app, user }, (event) => onEvent(entry, event))
      const entry: Entry = {
        ...{ app, user, subscription, opened: 1 },
        ...{ watches: new Map(), state: 'unknown', wasConnected: false, goneAtMS: undefined },
      }
      entries.set(nameOf(app, user), entry)
      return entry
    },
    /** Unsubscribes once no socket watches the user. */
    close(watched: WatchedUser) {
      const entry = entries.get(nameOf(watched.app, watched.user))
      if (!entry || --entry.opened > 0) return
      entry.subscription.unsubscribe()
      entries.delete(nameOf(watched.app, watched.user))
    },
    all: () => entries.values(),
  }
}
export type WatchedUsers = ReturnType<typeof createWatchedUsers>

/** Applies Redis's reports. While they are incomplete, users not in them keep their state, until `areUnknown`. */
export function takeStates(
  users: readonly WatchedUser[],
  { states, isComplete }: UserStates,
  areUnknown: boolean,
): void {
  for (const watched of users) {
    const state = states.get(watched.user) ?? (isComplete ? 'offline' : areUnknown ? 'unknown' : watched.state)
    if (state === 'offline' && watched.wasConnected) watched.goneAtMS = clock.now()
    if (state !== 'unknown') watched.wasConnected = state !== 'offline'
    watched.state = state
  }
}

export function viewOf({ user, state, goneAtMS }: WatchedUser, rights: Watchable): UserPresence {
  if (goneAtMS === undefined || !rights.isShown) return toPresenceView(user, rights, state)
  return toPresenceView(user, { ...rights, lastSeenMS: Math.max(goneAtMS, rights.lastSeenMS ?? 0) }, state)
}
