import type { OwnCloseReason } from '@parley/contracts/socket/close-reasons'
import type { Handshakes } from '@parley/socketio/accepting/handshakes'
import type { SocketServer } from '@parley/socketio/server'
import { closeConnection } from '../connections/close-socket.ts'
import type { SocketData, UserSocket } from '../connections/session.ts'
import type { Connection } from './address-limit.ts'

/**
 * Closes connections that were not authenticated in time. The time runs from the opening of the connection, or from the
 * loss of its user; a client gains no time by disconnecting its socket and connecting it again.
 */
export interface IdleSockets {
  opened(connection: Connection): void
  authenticated(socket: UserSocket): void
  /** The socket has lost its user, and its connection is still open. */
  unauthenticated(socket: UserSocket): void
  closed(connection: Connection): void
  stop(): void
}

/** @param handshakes notified when a connection is authenticated, or ends before */
export function watchIdleSockets(authenticateWithinMS: number, handshakes: Pick<Handshakes, 'ended'>): IdleSockets {
  /**
   * Unauthenticated connections and since when, by a monotonic clock, in that order, so that a sweep ends at the first
   * that has time left.
   */
  const nobodys = new Map<Connection, number>()

  const timer = setInterval(
    () => {
      const now = performance.now()
      for (const [connection, sinceMS] of nobodys) {
        if (sinceMS + authenticateWithinMS > now) break
        closeConnection(connection, 'not authenticated in time')
      }
    },
    Math.min(1_000, authenticateWithinMS / 2),
  )

  function isNobodysNoMore(connection: Connection): void {
    if (nobodys.delete(connection)) handshakes.ended()
  }

  return {
    opened: (connection) => void nobodys.set(connection, performance.now()),
    authenticated({ connection }) {
      connection.isNew = false
      isNobodysNoMore(connection)
    },
    unauthenticated({ connection }) {
      if (!nobodys.has(connection)) nobodys.set(connection, performance.now())
    },
    closed: isNobodysNoMore,
    stop: () => clearInterval(timer),
  }
}

/** Closes every connection; stock clients reconnect, to another node. */
export function closeAll(server: SocketServer<SocketData>): void {
  server.close('node is stopping' satisfies OwnCloseReason)
}
