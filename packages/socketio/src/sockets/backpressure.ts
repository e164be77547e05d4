type Overflown = { ws: { close: () => void } | undefined; closeReason: string | undefined }

/**
 * WebSockets for which uWebSockets.js dropped a message. They must be closed before getting anything after the gap, but
 * the drop is reported inside a publish, where closing is not allowed. They are closed before the next publish, or at
 * the end of the turn.
 */
export class SlowReaders {
  #waiting: Overflown[] = []

  add(connection: Overflown): void {
    if (connection.closeReason !== undefined) return
    connection.closeReason = 'slow reader'
    if (this.#waiting.length === 0) setImmediate(() => this.close())
    this.#waiting.push(connection)
  }

  /** Closes the waiting connections. Do not call it from a `dropped` handler. */
  close(): void {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const connection of waiting) connection.ws?.close()
  }
}
