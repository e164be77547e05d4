import type { BufferedEvent } from './topics.ts'

/** Buffers a socket's live events during its replay. */
export class ReplayBuffer {
  readonly #maxBytes: number
  #bytes = 0
  events: BufferedEvent[] = []
  /** Some published events are missing: the buffer overflowed, or `lose` was called. */
  isIncomplete = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(event: BufferedEvent): void {
    this.#bytes += event.json.length
    if (this.#bytes <= this.#maxBytes) {
      this.events.push(event)
      return
    }
    this.lose()
  }

  /** Drops everything. The caller must read the events again. */
  lose(): void {
    this.clear()
    this.isIncomplete = true
  }

  /** Drops events with a known ID, which the socket gets by other means. */
  drop(isKnown: (id: string) => boolean): void {
    this.events = this.events.filter(({ id }) => id === undefined || !isKnown(id))
    this.#bytes = this.events.reduce((sum, { json }) => sum + json.length, 0)
  }

  /** Starts over. */
  clear(): void {
    this.events = []
    this.#bytes = 0
    this.isIncomplete = false
  }
}
