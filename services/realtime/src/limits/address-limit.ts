import { addressBlock } from '@parley/presence/address-block'
import type { UserSocket } from '../connections/session.ts'

export type Connection = UserSocket['connection']

/** Connections beyond an address's limit that are accepted for a moment, to send the error; others are refused. */
const notifiedAtOnce = 20
/** How long they are kept: a client that handles the error connects its socket at once. */
const closeAfterMS = 1_000

/**
 * Counts the connections of each address from their opening on, with or without a socket.
 * @param limit connections of one address; 0 is no limit
 */
export function createAddressLimit(limit: number) {
  const counts = new Map<string, number>()
  const over = new Map<Connection, NodeJS.Timeout>()
  let open = 0

  function count(address: string, by: 1 | -1): number {
    open += by
    const block = addressBlock(address)
    const now = (counts.get(block) ?? 0) + by
    if (now === 0) counts.delete(block)
    else counts.set(block, now)
    return now
  }

  return {
    /** Connections and bridges of all addresses. */
    get open() {
      return open
    },
    /** Whether a connection is refused outright: the slots for sending the error are taken too, or it is an excess bridge. */
    refuses(address: string, transport: 'polling' | 'websocket' | 'bridge') {
      if (limit === 0) return false
      const max = transport === 'bridge' ? limit : limit + notifiedAtOnce
      return (counts.get(addressBlock(address)) ?? 0) >= max
    },
    /** Counts a connection; calls `close` a moment later if it was one too many and is still open. */
    opened(connection: Connection, close: () => void) {
      if (count(connection.address, 1) > limit && limit > 0) over.set(connection, setTimeout(close, closeAfterMS))
    },
    /** Whether the connection was one too many when it was opened. */
    isOver: (connection: Connection) => over.has(connection),
    closed(connection: Connection) {
      count(connection.address, -1)
      clearTimeout(over.get(connection))
      over.delete(connection)
    },
    bridgeOpened: (address: string) => void count(address, 1),
    bridgeClosed: (address: string) => void count(address, -1),
  }
}
