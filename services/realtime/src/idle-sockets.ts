import type { SocketServer } from '@parley/socketio/server'
import type { SocketData, UserSocket } from './session.ts'
import type { Sockets } from './sockets.ts'

/** Closes sockets that have no right to stay: never authenticated, or come by a token that expired meanwhile. */
export interface IdleSockets {
  connected(socket: UserSocket): void
  stop(): void
}

export function watchIdleSockets(sockets: Sockets, authenticateWithinMS: number): IdleSockets {
  // In the order of connection, so that looking stops at the first that still has time.
  const unauthenticated = new Map<UserSocket, number>()

  const timer = setInterval(
    () => {
      const now = Date.now()
      for (const [socket, connectedMS] of unauthenticated) {
        if (connectedMS + authenticateWithinMS > now) break
        unauthenticated.delete(socket)
        if (!socket.data.session) socket.closeTransport('not authenticated in time')
      }
      for (const socket of sockets.all()) {
        const { session } = socket.data
        if (session && session.expiresAtMS <= now) socket.disconnect(true)
      }
    },
    Math.min(1_000, authenticateWithinMS / 2),
  )

  return {
    connected: (socket) => void unauthenticated.set(socket, Date.now()),
    stop: () => clearInterval(timer),
  }
}

/** Closes every connection; stock clients reconnect, to another node. */
export function closeAll(server: SocketServer<SocketData>): void {
  server.close('node is stopping')
}
