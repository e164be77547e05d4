import type { KeyedMutex } from '@parley/async/keyed-mutex'
import type { AuthenticatedUser } from '@parley/chat/access/caller'
import type { NodeCommand } from '@parley/contracts/bus/control'
import type { Socket } from '@parley/socketio/sockets/socket'

/** The user of a connection, once `auth2` has succeeded. */
export interface Session extends AuthenticatedUser {
  clientKey: string
  device: string
  /** Whether it has joined its rooms, after which it can emit. */
  isReady: boolean
  /** Whether connection-count counts it: only on a WebSocket. */
  isCounted: boolean
  /** Since when the device is away: its user is not using it. */
  awaySinceMS: number | undefined
  /** It gave `since`, and gets the server's time periodically. */
  wantsServerTime: boolean
  /** The time of its authentication. */
  sinceMS: number
  /** When it joined its rooms, by performance.now(). */
  enteredAtMS: number
  /** While its rooms are being read: the commands that arrived since, which the read may have missed. */
  commands: NodeCommand[] | undefined
}

export interface SocketData {
  session: Session | undefined
  /** The second (Unix time) in which events are counted. */
  second: number
  events: number
  /** Failed logins since the last successful one. */
  failedLogins: number
  /** Keeps its emits to a room in order; undefined before the first. */
  emits: KeyedMutex | undefined
}

export function newSocketData(): SocketData {
  return { session: undefined, second: 0, events: 0, failedLogins: 0, emits: undefined }
}

export type UserSocket = Socket<SocketData>

export function isOf(socket: UserSocket, session: Session): boolean {
  return socket.data.session === session
}
