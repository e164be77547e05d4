import { type OwnCloseReason, ownCloseReasons } from '@parley/contracts/socket/close-reasons'
import type { Connection } from '../limits/address-limit.ts'
import type { UserSocket } from './session.ts'

type ReasonToReconnect = {
  [Reason in OwnCloseReason]: (typeof ownCloseReasons)[Reason]['client'] extends 'reconnects' ? Reason : never
}[OwnCloseReason]

/** Closes a socket's connection so that the stock client reconnects or stops, depending on the reason. */
export function closeSocket(socket: UserSocket, reason: OwnCloseReason): void {
  if (ownCloseReasons[reason].client === 'stops') socket.disconnect(true, reason)
  else socket.closeTransport(reason)
}

/** Closes a connection that may have no socket yet, so that its client cannot be told to stop reconnecting. */
export function closeConnection(connection: Connection, reason: ReasonToReconnect): void {
  connection.close(reason)
}
