import type { Slices } from './slices.ts'

/** The most packets of one connection, and the largest, that are kept, so that no client can fill the memory. */
const mostWaiting = 8
const mostLength = 4_096

/**
 * Handles the packets of newcomers in slices (see slices.ts): in a storm of reconnects thousands arrive at the same time,
 * and all other clients would wait until the last is handled. The packets of a connection stay in order.
 */
export class Newcomers<C extends { isNewcomer: boolean }> {
  readonly #slices: Slices | undefined
  readonly #handle: (connection: C, packet: string) => void
  /** Packets by connection; each is handled at a turn of its own. */
  readonly #waiting = new Map<C, string[]>()

  constructor(slices: Slices | undefined, handle: (connection: C, packet: string) => void) {
    this.#slices = slices
    this.#handle = handle
  }

  /** A text packet came on a WebSocket: handles it now, or later when its connection is a newcomer's. */
  receive(connection: C, packet: string): void {
    const waiting = this.#waiting.get(connection)
    const isSmall = packet.length <= mostLength && (waiting?.length ?? 0) < mostWaiting
    if (this.#slices === undefined || !isSmall || (!connection.isNewcomer && waiting === undefined)) {
      this.receiveWaiting(connection)
      this.#handle(connection, packet)
      return
    }
    if (waiting !== undefined) waiting.push(packet)
    else this.#waiting.set(connection, [packet])
    void this.#slices.turn().then(() => this.#receiveNext(connection))
  }

  /** Handles a connection's waiting packets now, because of something that cannot wait. */
  receiveWaiting(connection: C): void {
    const waiting = this.#waiting.get(connection)
    this.#waiting.delete(connection)
    for (const packet of waiting ?? []) this.#handle(connection, packet)
  }

  forget(connection: C): void {
    this.#waiting.delete(connection)
  }

  #receiveNext(connection: C): void {
    const waiting = this.#waiting.get(connection)
    const packet = waiting?.shift()
    if (packet === undefined) return
    if (waiting?.length === 0) this.#waiting.delete(connection)
    this.#handle(connection, packet)
  }
}
