import { clock } from '@parley/async/clock'
import type { AuthenticatedSocket } from '@parley/chat/access/authenticate-socket'
import type { Activity } from '../connections/activity.ts'
import { isOf, type Session, type UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { IdleSockets } from '../limits/idle-sockets.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'

interface SessionsParts {
  sockets: Sockets
  activity: Activity
  idle: IdleSockets
  watching: Pick<WatchPresence, 'forget'>
}

/** Assigns sockets to users, and releases them. */
export function createSessions({ sockets, activity, idle, watching }: SessionsParts) {
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
    /** How many other sockets of this node belong to the caller. */
    othersOf: (socket: UserSocket, { app, user }: AuthenticatedSocket) =>
      [...sockets.ofUser(app, user)].filter((other) => other !== socket).length,
    /** Assigns the socket to the caller, so that node commands reach it. `earlier` is its previous session. */
    begin(socket: UserSocket, caller: AuthenticatedSocket, options: Pick<Session, 'device' | 'wantsServerTime'>) {
      const before = socket.data.session
      const earlier = before?.app === caller.app && before.user === caller.user ? before : undefined
      const session: Session = {
        ...caller,
        ...options,
        // A newer token does not end what `since` asked for.
        wantsServerTime: options.wantsServerTime || earlier?.wantsServerTime === true,
        isReady: earlier?.isReady ?? false,
        isCounted: false,
        awaySinceMS: earlier?.awaySinceMS,
        sinceMS: earlier?.sinceMS ?? clock.now(),
        enteredAtMS: 0,
        commands: [],
      }
      // A socket that authenticates again, for example with a new token, stays in its rooms and so misses nothing.
      if (earlier) sockets.remove(socket)
      else end(socket)
      sockets.add(socket, session)
      idle.authenticated(socket)
      return { session, earlier }
    },
    /** The session has joined its rooms. */
    ready(socket: UserSocket, session: Session) {
      session.isReady = true
      activity.began(socket, session)
    },
    /** Restores an earlier session of the same user: the socket has stayed in its rooms. */
    restore(socket: UserSocket, session: Session, earlier: Session) {
      if (!isOf(socket, session)) return
      sockets.remove(socket)
      earlier.awaySinceMS = session.awaySinceMS
      sockets.add(socket, earlier)
    },
    /** Releases the socket from its user: it leaves all topics. */
    end,
  }
}
export type Sessions = ReturnType<typeof createSessions>
