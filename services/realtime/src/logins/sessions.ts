import { clock } from '@parley/async/clock'
import type { AuthenticatedSocket } from '@parley/chat/access/authenticate-socket'
import type { Activity } from '../connections/activity.ts'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { IdleSockets } from '../limits/idle-sockets.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'

/** Gives sockets to users, and takes them away. */
export interface Sessions {
  /** How many other sockets of this node are the caller's. */
  othersOf(socket: UserSocket, caller: AuthenticatedSocket): number
  /** Makes the socket the caller's. Node commands reach the session from now on. */
  begin(socket: UserSocket, caller: AuthenticatedSocket, options: SessionOptions): BegunSession
  /** The session is in its rooms. */
  ready(socket: UserSocket, session: Session): void
  /** Makes the socket an earlier session's of the same user again: it has stayed in its rooms. */
  restore(socket: UserSocket, session: Session, earlier: Session): void
  /** Takes the socket from its user: it leaves all topics. */
  end(socket: UserSocket): void
}

export interface SessionOptions {
  device: string
  wantsServerTime: boolean
}

/** `earlier` is the socket's session before, if it was the same user's. */
export interface BegunSession {
  session: Session
  earlier: Session | undefined
}

interface SessionsParts {
  sockets: Sockets
  activity: Activity
  idle: IdleSockets
  watching: Pick<WatchPresence, 'forget'>
}

export function createSessions({ sockets, activity, idle, watching }: SessionsParts): Sessions {
  function end(socket: UserSocket): void {
    const { session } = socket.data
    if (!session) return
    activity.ended(session, 'another login')
    sockets.remove(socket)
    watching.forget(socket)
    for (const { name } of [...(socket.topics ?? [])]) socket.leave(name)
    idle.unauthenticated(socket)
  }

  return {
    othersOf: (socket, { app, user }) => [...sockets.ofUser(app, user)].filter((other) => other !== socket).length,
    begin(socket, caller, options) {
      const before = socket.data.session
      const earlier = before?.app === caller.app && before.user === caller.user ? before : undefined
      const session: Session = {
        ...caller,
        ...options,
        isReady: earlier?.isReady ?? false,
        isCounted: false,
        isAway: earlier?.isAway ?? false,
        sinceMS: earlier?.sinceMS ?? clock.now(),
        enteredAtMS: 0,
        commands: [],
      }
      // A socket that authenticates again, as with a new token, stays in its rooms and so misses nothing.
      if (earlier) sockets.remove(socket)
      else end(socket)
      sockets.add(socket, session)
      idle.authenticated(socket)
      return { session, earlier }
    },
    ready(socket, session) {
      session.isReady = true
      activity.began(socket, session)
    },
    restore(socket, session, earlier) {
      if (!isOf(socket, session)) return
      sockets.remove(socket)
      earlier.isAway = session.isAway
      sockets.add(socket, earlier)
    },
    end,
  }
}
