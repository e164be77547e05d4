import type { ControlOrder } from '@parley/contracts/bus/control'
import type { Socket } from '@parley/socketio/socket'

/** What a node knows of one connection: whose it is, once `auth2` has succeeded. */
export interface Session {
  app: string
  user: string
  device: string
  /** Digest of the token it came by. */
  token: string
  expiresAtMS: number
  /** Orders that arrived while its rooms were being read: carried out after. Undefined once it is in them. */
  early: ControlOrder[] | undefined
}

export interface SocketData {
  session: Session | undefined
  /** How many events came in this second (Unix time). */
  second: number
  events: number
}

export type UserSocket = Socket<SocketData>

/** The session of an authenticated socket. */
export function sessionOf(socket: UserSocket): Session | undefined {
  return socket.data.session
}
