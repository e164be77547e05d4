/**
 * Runs work of new clients, which can arrive all at once, in slices of a few milliseconds, with other work in between.
 * @param sliceMS no work starts in a slice after this long
 */
export function createAcceptQueue(sliceMS: number) {
  let waiting: (() => void)[] = []
  let isRunning = false

  async function runSlice(): Promise<void> {
    const untilMS = performance.now() + sliceMS
    let done = 0
    while (done < waiting.length && performance.now() < untilMS) {
      waiting[done++]?.()
      // The resolved work runs in these microtasks.
      await Promise.resolve()
      await Promise.resolve()
    }
    waiting = waiting.slice(done)
    // The next slice comes after a whole turn of the event loop.
    if (waiting.length > 0) setImmediate(() => void runSlice())
    else isRunning = false
  }

  return {
    /** Resolves in a slice with time left, in order of arrival. Work that follows without waiting runs in that slice. */
    turn: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve)
        if (isRunning) return
        isRunning = true
        setImmediate(() => void runSlice())
      }),
  }
}
export type AcceptQueue = ReturnType<typeof createAcceptQueue>

/** Limits on the number and length of queued packets per connection, so that no client can fill the memory. */
const maxWaiting = 8
const maxLength = 4_096

/**
 * Handles the packets of new connections in turns. In a reconnect storm, thousands arrive at once, and all other
 * clients would wait until the last packet is handled. The packets of a connection stay in order.
 */
export class NewPackets<C extends { isNew: boolean }> {
  readonly #queue: AcceptQueue | undefined
  readonly #handle: (connection: C, packet: string) => void
  /** Packets by connection; each is handled in its own turn. */
  readonly #waiting = new Map<C, string[]>()

  constructor(queue: AcceptQueue | undefined, handle: (connection: C, packet: string) => void) {
    this.#queue = queue
    this.#handle = handle
  }

  /** Handles a text packet of a WebSocket now, or in its turn if the connection is new. */
  receive(connection: C, packet: string): void {
    const waiting = this.#waiting.get(connection)
    const isSmall = packet.length <= maxLength && (waiting?.length ?? 0) < maxWaiting
    if (this.#queue === undefined || !isSmall || (!connection.isNew && waiting === undefined)) {
      this.receiveWaiting(connection)
      this.#handle(connection, packet)
      return
    }
    if (waiting !== undefined) waiting.push(packet)
    else this.#waiting.set(connection, [packet])
    void this.#queue.turn().then(() => this.#receiveNext(connection))
  }

  /** Handles a connection's waiting packets now. Call before handling something that cannot wait. */
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
