import type { KeyedMutex } from '@parley/async/keyed-mutex'
import type { AuthenticatedUser } from '@parley/chat/access/caller'
import type { NodeCommand } from '@parley/contracts/bus/control'
import type { Socket } from '@parley/socketio/sockets/socket'

/** The user of a connection, once `auth2` has succeeded. */
export interface Session extends AuthenticatedUser {
  clientKey: string
  device: string
  /** Whether it is in its rooms, after which it may emit. */
  isReady: boolean
  /** Whether connection-count counts it: on a WebSocket. */
  isCounted: boolean
  /** The device is away: its user is not at it. */
  isAway: boolean
  /** It gave `since`, and gets the server's time now and then. */
  wantsServerTime: boolean
  /** When it authenticated. */
  sinceMS: number
  /** When it was put into its rooms, as performance.now() has it. */
  enteredAtMS: number
  /** While its rooms are being read: the commands that arrived since, which the reading may have missed. */
  commands: NodeCommand[] | undefined
}

export interface SocketData {
  session: Session | undefined
  /** The second (Unix time) in which events are counted. */
  second: number
  events: number
  /** Failed logins since the last one that succeeded. */
  failedLogins: number
  /** Keeps its emits to a room in order; undefined before the first. */
  emits: KeyedMutex | undefined
}

export function newSocketData(): SocketData {
  return { session: undefined, second: 0, events: 0, failedLogins: 0, emits: undefined }
}

export type UserSocket = Socket<SocketData>

/** Whether the socket is the session's still. */
export function isOf(socket: UserSocket, session: Session): boolean {
  return socket.data.session === session
}
