import { createSweep } from '@parley/async/sweep'
import type { Handshakes } from '@parley/socketio/accepting/handshakes'
import { closeConnection } from '../connections/close-socket.ts'
import type { UserSocket } from '../connections/session.ts'
import type { Connection } from './address-limit.ts'

/**
 * Closes connections that were not authenticated in time. The time runs from the opening of the connection, or from the loss of
 * its user; a client gains no time by disconnecting its socket and connecting it again.
 * @param handshakes notified when a connection is authenticated, or ends before
 */
export function watchIdleSockets(authenticateWithinMS: number, handshakes: Pick<Handshakes, 'ended'>) {
  /** Unauthenticated connections, oldest first (monotonic clock), so that a sweep ends at the first with time left. */
  const pending = new Map<Connection, number>()

  const sweep = createSweep(Math.min(1_000, authenticateWithinMS / 2), () => {
    const now = performance.now()
    for (const [connection, sinceMS] of pending) {
      if (sinceMS + authenticateWithinMS > now) break
      closeConnection(connection, 'not authenticated in time')
    }
    return pending.size > 0
  })

  function begin(connection: Connection): void {
    pending.set(connection, performance.now())
    sweep.begin()
  }

  function settle(connection: Connection): void {
    if (pending.delete(connection)) handshakes.ended()
  }

  return {
    opened: begin,
    authenticated({ connection }: UserSocket) {
      connection.isNew = false
      settle(connection)
    },
    /** The socket has lost its user, and its connection is still open. */
    unauthenticated({ connection }: UserSocket) {
      if (!pending.has(connection)) begin(connection)
    },
    closed: settle,
    stop: () => sweep.stop(),
  }
}
export type IdleSockets = ReturnType<typeof watchIdleSockets>
