import type { BufferedEvent } from './topics.ts'

/** Live events of a socket that are kept back while its replay runs. */
export class ReplayBuffer {
  readonly #mostBytes: number
  #bytes = 0
  events: BufferedEvent[] = []
  /** Some published events are missing: there were too many, or `lose` was called. */
  isIncomplete = false

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  add(event: BufferedEvent): void {
    this.#bytes += event.json.length
    if (this.#bytes <= this.#mostBytes) {
      this.events.push(event)
      return
    }
    this.lose()
  }

  /** Drops everything: the socket gets it in another way. */
  lose(): void {
    this.clear()
    this.isIncomplete = true
  }

  /** Leaves out events with a known ID: the socket gets them in another way. */
  drop(isKnown: (id: string) => boolean): void {
    this.events = this.events.filter(({ id }) => id === undefined || !isKnown(id))
    this.#bytes = this.events.reduce((sum, { json }) => sum + json.length, 0)
  }

  /** Begins anew. */
  clear(): void {
    this.events = []
    this.#bytes = 0
    this.isIncomplete = false
  }
}
