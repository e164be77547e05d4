import type { Connection } from '../engine/connection.ts'
import { receivePacket } from '../sockets/receive-packet.ts'
import type { Slices } from './slices.ts'

/** The most packets of one connection, and the largest, that are kept, so that no client can fill the memory. */
const mostWaiting = 8
const mostLength = 4_096

/**
 * Handles the packets of newcomers in slices (see slices.ts): in a storm of reconnects thousands arrive at the same time,
 * and all other clients would wait until the last is handled. The packets of a connection stay in order.
 */
export class Newcomers<S> {
  readonly #slices: Slices | undefined
  /** Packets by connection; each is handled at a turn of its own. */
  readonly #waiting = new Map<Connection<S>, string[]>()

  constructor(slices: Slices | undefined) {
    this.#slices = slices
  }

  /** A text packet came on a WebSocket: handles it now, or later when its connection is a newcomer's. */
  receive(connection: Connection<S>, packet: string): void {
    const waiting = this.#waiting.get(connection)
    const isSmall = packet.length <= mostLength && (waiting?.length ?? 0) < mostWaiting
    if (this.#slices === undefined || !isSmall || (!connection.isNewcomer && waiting === undefined)) {
      this.receiveWaiting(connection)
      handle(connection, packet)
      return
    }
    if (waiting !== undefined) waiting.push(packet)
    else this.#waiting.set(connection, [packet])
    void this.#slices.turn().then(() => this.#receiveNext(connection))
  }

  /** Handles a connection's waiting packets now, because of something that cannot wait. */
  receiveWaiting(connection: Connection<S>): void {
    const waiting = this.#waiting.get(connection)
    this.#waiting.delete(connection)
    for (const packet of waiting ?? []) handle(connection, packet)
  }

  forget(connection: Connection<S>): void {
    this.#waiting.delete(connection)
  }

  #receiveNext(connection: Connection<S>): void {
    const waiting = this.#waiting.get(connection)
    const packet = waiting?.shift()
    if (packet === undefined) return
    if (waiting?.length === 0) this.#waiting.delete(connection)
    handle(connection, packet)
  }
}

function handle<S>(connection: Connection<S>, packet: string): void {
  if (connection.closeReason !== undefined || connection.closed) return
  if (!receivePacket(connection, packet)) connection.close('parse error')
}
