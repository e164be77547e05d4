import { clock } from '@parley/async/clock'
import { startRunning } from '@parley/async/run-every'
import type { Bus } from '@parley/bus/connect'
import { subscribed } from '@parley/bus/listen'
import type { Chat } from '@parley/chat/chat'
import { findWatchable, stateView, type Watchable } from '@parley/chat/users/read-presence'
import { ApiError } from '@parley/contracts/errors'
import { maxWatchedUsers, type UserPresence } from '@parley/contracts/resources/presence'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import type { Presence } from '@parley/presence/connect'
import { findUserStates } from '@parley/presence/user-states'
import type { Logger } from '@parley/service/log'
import type { SocketServer } from '@parley/socketio/server'
import type { Session, SocketData, UserSocket } from '../connections/session.ts'
import { createRightsChecks, type RightsChecks } from './check-rights.ts'
import { createWatchedUsers, takeStates, viewOf, type WatchedUser, type WatchedUsers } from './watched-users.ts'

const roundMS = 1_000
/** Rounds between reads of all watched users: reports expire after 10 s, so a killed node's are offline in 15 s. */
const roundsPerReadOfAll = 3

export interface WatchPresenceParts extends WatchedStatesParts {
  bus: Bus
  log: Logger
  socketsOf: (app: string, user: string) => Iterable<UserSocket>
}

/** A subscription in progress. */
interface Subscribing {
  app: string
  user: string
  clients: ReadonlySet<string>
  /** Its read may be outdated. */
  isDisturbed: boolean
  done: Promise<UserPresence[]>
}

interface Watching extends WatchPresenceParts {
  users: WatchedUsers
  checks: RightsChecks
  states: WatchedStates
  watchedBy: Map<UserSocket, Map<string, WatchedUser>>
  subscribing: Map<UserSocket, Subscribing>
  toRead: Set<WatchedUser>
  rounds: number
}

/** The presence watches of this node's sockets (ARCHITECTURE.md, "Presence"). */
export function watchPresence(parts: WatchPresenceParts) {
  const watchedBy: Watching['watchedBy'] = new Map()
  const subscribing: Watching['subscribing'] = new Map()
  const watching: Watching = {
    ...{ ...parts, watchedBy, subscribing, toRead: new Set(), rounds: 0 },
    states: createWatchedStates(parts),
    users: createWatchedUsers(parts.bus, (watched, event) => {
      if (event === 'state') watching.toRead.add(watched)
      else mayHaveChanged(watching, watched.app, [watched.user])
    }),
    checks: createRightsChecks({ ...parts, watchedBy, apply: (...about) => applyRights(watching, ...about) }),
  }
  // Neither waits for the other: checks need MongoDB, rounds only Redis. Rounds show nothing in doubt.
  const running = [() => watching.checks.run(), () => round(watching)].map((work) =>
    startRunning(roundMS, work, (error) => parts.log.warn({ err: error }, 'states of watched users not read')),
  )

  return {
    /** The states of these users that the socket watches. @throws ApiError INVALID_REQUEST, TOO_MANY_REQUESTS */
    async subscribe(socket: UserSocket, session: Session, clients: readonly string[]) {
      const wanted = new Set(clients)
      const more = [...wanted].filter((client) => !watchedBy.get(socket)?.has(client)).length
      if ((watchedBy.get(socket)?.size ?? 0) + more > maxWatchedUsers) {
        throw new ApiError('INVALID_REQUEST', `clients: a socket watches at most ${maxWatchedUsers} users`)
      }
      if (subscribing.has(socket)) {
        throw new ApiError('TOO_MANY_REQUESTS', 'the socket is subscribing already: wait for its acknowledgement')
      }
      const { app, user } = session
      const progress: Omit<Subscribing, 'done'> = { app, user, clients: wanted, isDisturbed: false }
      const done = subscribe(watching, socket, progress)
      subscribing.set(socket, Object.assign(progress, { done }))
      return done.finally(() => subscribing.delete(socket))
    },
    /** After a subscription in progress. @param clients all by default */
    async unsubscribe(socket: UserSocket, clients?: readonly string[]) {
      await Promise.allSettled([subscribing.get(socket)?.done])
      for (const client of clients ?? [...(watchedBy.get(socket)?.keys() ?? [])]) drop(watching, socket, client)
    },
    /** The socket is closed, or another user's. */
    forget(socket: UserSocket) {
      for (const client of [...(watchedBy.get(socket)?.keys() ?? [])]) drop(watching, socket, client)
    },
    /** These users may have left a room. */
    moved: (app: string, users: readonly string[]) => mayHaveChanged(watching, app, users),
    /** The bus was away: anything may have changed. */
    busIsBack() {
      for (const progress of subscribing.values()) progress.isDisturbed = true
      for (const [socket, ofSocket] of watchedBy) watching.checks.soon(socket, ofSocket.keys())
    },
    async stop() {
      watching.checks.stop()
      await Promise.all(running.map((one) => one.stop()))
    },
  }
}
export type WatchPresence = ReturnType<typeof watchPresence>

/** Rooms or blocks of these users may have changed: checks all their watches, in both directions. */
function mayHaveChanged(watching: Watching, app: string, changed: readonly string[]): void {
  const { users, watchedBy, subscribing, checks, socketsOf } = watching
  const doubt = (socket: UserSocket, clients: readonly string[]) => {
    checks.soon(socket, clients)
    for (const client of clients) {
      const watch = watchedBy.get(socket)?.get(client)?.watches.get(socket)
      if (watch) watch.areRightsInDoubt = true
    }
  }
  for (const user of changed) {
    for (const socket of users.get(app, user)?.watches.keys() ?? []) doubt(socket, [user])
    for (const socket of socketsOf(app, user)) doubt(socket, [...(watchedBy.get(socket)?.keys() ?? [])])
  }
  for (const progress of subscribing.values()) {
    const isConcerned = (user: string) => user === progress.user || progress.clients.has(user)
    if (progress.app === app && changed.some(isConcerned)) progress.isDisturbed = true
  }
}

function applyRights(watching: Watching, socket: UserSocket, client: string, rights: Watchable | undefined): void {
  const watched = watching.watchedBy.get(socket)?.get(client)
  const watch = watched?.watches.get(socket)
  if (!watched || !watch) return
  if (rights) {
    watch.rights = rights
    watch.areRightsInDoubt = watching.checks.isWaiting(socket, client)
    watching.toRead.add(watched)
    return
  }
  // They no longer share a room: offline is the last state that the socket gets.
  if (watch.shown.state !== 'offline') watching.states.send(socket, [stateView(client, 'offline')])
  drop(watching, socket, client)
}

function drop({ users, watchedBy, checks }: Watching, socket: UserSocket, client: string): void {
  const ofSocket = watchedBy.get(socket)
  const watched = ofSocket?.get(client)
  if (!ofSocket || !watched) return
  watched.watches.delete(socket)
  users.close(watched)
  ofSocket.delete(client)
  if (ofSocket.size > 0) return
  watchedBy.delete(socket)
  checks.forget(socket)
}

async function round(watching: Watching): Promise<void> {
  const isForAll = watching.rounds++ % roundsPerReadOfAll === 0
  const some = isForAll ? [...watching.users.all()] : [...watching.toRead]
  watching.toRead = new Set()
  if (some.length === 0) return
  await watching.states.read(some)
  watching.states.sendChanges(some)
}

async function subscribe(
  { bus, chat, users, states, watchedBy, checks }: Watching,
  socket: UserSocket,
  progress: Omit<Subscribing, 'done'>,
): Promise<UserPresence[]> {
  const { app, user } = progress
  const clients = [...progress.clients]
  // Subscribes before reading: a change meanwhile is read in the next round.
  const opened = clients.map((client) => users.open(app, client))
  try {
    await subscribed(bus)
    const rights = await findWatchable(chat, { app, user }, clients)
    await states.read(
      opened.filter((watched) => rights.has(watched.user) && watched.watches.size === 0),
      true,
    )
    const { session } = socket.data
    if (!socket.connected || session?.app !== app || session.user !== user) return []
    const ofSocket = watchedBy.get(socket) ?? new Map<string, WatchedUser>()
    const views: UserPresence[] = []
    for (const [client, known] of rights) {
      const watched = ofSocket.get(client) ?? users.open(app, client)
      ofSocket.set(client, watched)
      const shown = viewOf(watched, known)
      watched.watches.set(socket, { rights: known, areRightsInDoubt: progress.isDisturbed, shown })
      views.push(shown)
    }
    if (ofSocket.size === 0) return []
    watchedBy.set(socket, ofSocket)
    if (progress.isDisturbed) checks.soon(socket, clients)
    checks.begin(socket)
    return views
  } finally {
    for (const watched of opened) users.close(watched)
  }
}

/** After this long without complete reports from Redis, users not known as connected are unknown. */
const unknownAfterMS = 10_000

interface WatchedStatesParts {
  chat: Chat
  presence: Presence
  server: () => Pick<SocketServer<SocketData>, 'sendTo'>
}

/** Reads the state of watched users, and sends changes to their watchers. */
function createWatchedStates({ chat, presence, server }: WatchedStatesParts) {
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
type WatchedStates = ReturnType<typeof createWatchedStates>
