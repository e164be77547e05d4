import { clock } from '@parley/async/clock'
import type { Chat } from '@parley/chat/chat'
import type { UserPresence } from '@parley/contracts/resources/presence'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import type { Presence } from '@parley/presence/connect'
import { findUserStates } from '@parley/presence/user-states'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData, UserSocket } from '../connections/session.ts'
import { takeStates, viewOf, type WatchedUser } from './watched-users.ts'

/** After this long without complete reports from Redis, users not known as connected are unknown. */
const unknownAfterMS = 10_000

export interface WatchedStatesParts {
  chat: Chat
  presence: Presence
  server: () => Pick<SocketServer<SocketData>, 'sendTo'>
}

/** Reads the state of watched users, and sends changes to their watchers. */
export function createWatchedStates({ chat, presence, server }: WatchedStatesParts) {
  let incompleteSinceMS: number | undefined

  function send(socket: UserSocket, clients: UserPresence[]): void {
    server().sendTo([socket], 'presence', JSON.stringify({ clients } satisfies EventPayload<'presence'>))
  }

  return {
    send,
    /** Queries Redis. @param isFirst unknown users are unknown at once: there is no earlier state to keep */
    async read(some: readonly WatchedUser[], isFirst = false) {
      for (const [app, ofApp] of Map.groupBy(some, (watched) => watched.app)) {
        const names = ofApp.map(({ user }) => user)
        const found = await findUserStates(presence, app, names, chat.control.nodes())
        incompleteSinceMS = found.isComplete ? undefined : (incompleteSinceMS ?? clock.now())
        const isLong = incompleteSinceMS !== undefined && clock.now() - incompleteSinceMS > unknownAfterMS
        takeStates(ofApp, found, isFirst || isLong)
      }
    },
    /** Sends each socket the changes of these users, in one event. */
    sendChanges(some: Iterable<WatchedUser>) {
      const changes = new Map<UserSocket, UserPresence[]>()
      for (const watched of some) {
        for (const [socket, watch] of watched.watches) {
          // A socket that is catching up gets it in a later round, as does one whose rights are being read.
          if (socket.replayBuffer !== undefined || watch.areRightsInDoubt) continue
          const view = viewOf(watched, watch.rights)
          if (view.state === watch.shown.state) continue
          watch.shown = view
          const ofSocket = changes.get(socket)
          if (ofSocket) ofSocket.push(view)
          else changes.set(socket, [view])
        }
      }
      for (const [socket, clients] of changes) send(socket, clients)
    },
  }
}
export type WatchedStates = ReturnType<typeof createWatchedStates>
