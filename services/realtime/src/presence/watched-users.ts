import type { Bus } from '@parley/bus/connect'
import { listenToPresence, type PresenceNews } from '@parley/bus/events/presence-news'
import type { Subscription } from '@parley/bus/listen'
import type { Watchable } from '@parley/chat/presence/watchable-users'
import { toPresenceView } from '@parley/chat/views/presence'
import type { UserPresence } from '@parley/contracts/resources/presence'
import type { UserStates } from '@parley/presence/user-states'
import type { UserSocket } from '../connections/session.ts'

/** What one socket knows of a user whom it watches. */
export interface Watch {
  rights: Watchable
  /** Somebody hid, blocked, left a room: the rights are to be read before anything more is shown. */
  areRightsInDoubt?: boolean
  shown: UserPresence
}

/** A user whom sockets of this node watch. */
export interface WatchedUser {
  app: string
  user: string
  watches: Map<UserSocket, Watch>
  state: UserPresence['state']
  /** By what was last known of them; their state may be unknown since. */
  wasConnected: boolean
  /** When this node saw them go: more recent than what is written, and there also when their node was killed. */
  goneAtMS: number | undefined
}

/** The users whom sockets of this node watch, each with a subscription on the bus. */
export interface WatchedUsers {
  get(app: string, user: string): WatchedUser | undefined
  /** Listens to news of a user, of whom somebody is about to know. */
  open(app: string, user: string): WatchedUser
  /** Ends it when nobody watches the user. */
  close(watched: WatchedUser): void
  all(): Iterable<WatchedUser>
}

interface Entry extends WatchedUser {
  subscription: Subscription
  /** Calls that have opened it and not closed it yet. */
  opened: number
}

export function createWatchedUsers(bus: Bus, heard: (watched: WatchedUser, news: PresenceNews) => void): WatchedUsers {
  const entries = new Map<string, Entry>()
  const nameOf = (app: string, user: string) => `${app}\0${user}`

  return {
    get: (app, user) => entries.get(nameOf(app, user)),
    open(app, user) {
      const known = entries.get(nameOf(app, user))
      if (known) {
        known.opened++
        return known
      }
      const subscription = listenToPresence(bus, { app, user }, (news) => heard(entry, news))
      const entry: Entry = {
        ...{ app, user, subscription, opened: 1 },
        ...{ watches: new Map(), state: 'unknown', wasConnected: false, goneAtMS: undefined },
      }
      entries.set(nameOf(app, user), entry)
      return entry
    },
    close(watched) {
      const entry = entries.get(nameOf(watched.app, watched.user))
      if (!entry || --entry.opened > 0) return
      entry.subscription.unsubscribe()
      entries.delete(nameOf(watched.app, watched.user))
    },
    all: () => entries.values(),
  }
}

/**
 * Takes over what Redis said of users. While it does not say everything, who is not named stays as they were, until
 * `areUnknown`.
 */
export function takeStates(
  users: readonly WatchedUser[],
  { states, isComplete }: UserStates,
  areUnknown: boolean,
): void {
  for (const watched of users) {
    const state = states.get(watched.user) ?? (isComplete ? 'offline' : areUnknown ? 'unknown' : watched.state)
    if (state === 'offline' && watched.wasConnected) watched.goneAtMS = Date.now()
    if (state !== 'unknown') watched.wasConnected = state !== 'offline'
    watched.state = state
  }
}

/** How a watched user looks to who may know this of them. */
export function viewOf({ user, state, goneAtMS }: WatchedUser, rights: Watchable): UserPresence {
  if (goneAtMS === undefined || !rights.isShown) return toPresenceView(user, rights, state)
  return toPresenceView(user, { ...rights, lastSeenMS: Math.max(goneAtMS, rights.lastSeenMS ?? 0) }, state)
}
