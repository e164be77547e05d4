/** Items with the same delay, so insertion order is expiry order. One sweep replaces a timer per connection. */
export class Deadlines<T> {
  readonly #due = new Map<T, number>()

  /** Sets the time (ms) at which `item` is due; a waiting item moves to the end. */
  set(item: T, at: number): void {
    this.#due.delete(item)
    this.#due.set(item, at)
  }

  get size(): number {
    return this.#due.size
  }

  delete(item: T): void {
    this.#due.delete(item)
  }

  /** The time at which `item` is due; undefined if it is not queued. */
  get(item: T): number | undefined {
    return this.#due.get(item)
  }

  /** Removes every item due at `now` and passes it on with its due time. */
  expire(now: number, each: (item: T, due: number) => void): void {
    for (const [item, due] of this.#due) {
      if (due > now) return
      this.#due.delete(item)
      each(item, due)
    }
  }
}
