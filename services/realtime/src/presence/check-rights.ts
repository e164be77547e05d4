import { inParts } from '@parley/async/in-parts'
import type { Chat } from '@parley/chat/chat'
import { findWatchable, type Watchable } from '@parley/chat/users/read-presence'
import type { Logger } from '@parley/service/log'
import type { UserSocket } from '../connections/session.ts'

/** All watches of a socket are checked again after this long, in case an event about them was lost. */
const againAfterMS = 60_000
/** About one a second. */
const roundsPerAgain = againAfterMS / 1_000
/** How many sockets are checked in a round; the others wait for the next. */
const socketsPerRound = 100
/** Every round checks at least this many others, however many were reported as changed. */
const againPerRound = 20
const atOnce = 10

interface RightsChecksParts {
  chat: Chat
  log: Logger
  watchedBy: ReadonlyMap<UserSocket, ReadonlyMap<string, unknown>>
  /** Applies a socket's current rights on a user; undefined if it has none any more. */
  apply: (socket: UserSocket, client: string, rights: Watchable | undefined) => void
}

/** Rechecks whether sockets may see the presence of the users that they watch. */
export function createRightsChecks({ chat, log, watchedBy, apply }: RightsChecksParts) {
  const waiting = new Map<UserSocket, Set<string>>()
  /** The socket unchecked for the longest comes first. */
  const checkedAtMS = new Map<UserSocket, number>()
  let isStopped = false

  function soon(socket: UserSocket, clients: Iterable<string>): void {
    const known = waiting.get(socket)
    if (known) for (const client of clients) known.add(client)
    else waiting.set(socket, new Set(clients))
  }

  function checked(socket: UserSocket): void {
    checkedAtMS.delete(socket)
    checkedAtMS.set(socket, performance.now())
  }

  /** Takes those unchecked for the longest: enough that each gets its turn in time. */
  function takeOverdue(): void {
    const inTime = Math.ceil(checkedAtMS.size / roundsPerAgain)
    const max = Math.max(againPerRound, Math.min(inTime, socketsPerRound - waiting.size))
    const dueMS = performance.now() - againAfterMS
    for (const [socket, atMS] of [...checkedAtMS].slice(0, max)) {
      if (atMS > dueMS) return
      soon(socket, watchedBy.get(socket)?.keys() ?? [])
      checked(socket)
    }
  }

  async function check(socket: UserSocket, clients: ReadonlySet<string>): Promise<void> {
    const { session } = socket.data
    const watched = [...clients].filter((client) => watchedBy.get(socket)?.has(client))
    if (!session || watched.length === 0) return
    try {
      const rights = await findWatchable(chat, session, watched)
      for (const client of watched) apply(socket, client, rights.get(client))
    } catch (error) {
      log.warn({ err: error, app: session.app, user: session.user }, 'rights to watch users not read; trying again')
      soon(socket, watched)
    }
  }

  return {
    /** Checks some users in the next round. */
    soon,
    /** Whether the user is due in a later round than the running one. */
    isWaiting: (socket: UserSocket, client: string) => waiting.get(socket)?.has(client) === true,
    /** The socket has subscribed: its first watches count as just checked. */
    begin(socket: UserSocket) {
      // Otherwise it would delay the check of all others.
      if (!checkedAtMS.has(socket)) checked(socket)
    },
    /** The socket no longer watches any user. */
    forget(socket: UserSocket) {
      checkedAtMS.delete(socket)
      waiting.delete(socket)
    },
    async run() {
      takeOverdue()
      const now = [...waiting].slice(0, socketsPerRound)
      for (const [socket] of now) waiting.delete(socket)
      for (const some of inParts(now, atOnce)) {
        if (isStopped) return
        await Promise.all(some.map(([socket, clients]) => check(socket, clients)))
      }
    },
    /** Stops checking; a run in progress ends soon. */
    stop() {
      isStopped = true
    },
  }
}
export type RightsChecks = ReturnType<typeof createRightsChecks>
