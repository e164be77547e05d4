import { createStore, type Store } from '../store.ts'

/** How far a room's messages have reached the others: the seq of each member, as far as known. It never moves backwards. */
export class Deliveries {
  readonly #reached = createStore<ReadonlyMap<string, number>>(new Map())
  readonly store: Store<ReadonlyMap<string, number>> = this.#reached

  hasReached(user: string, seq: number): void {
    const before = this.#reached.get()
    if (seq > (before.get(user) ?? 0)) this.#reached.set(new Map(before).set(user, seq))
  }

  /** Whom a message has reached. */
  of(seq: number): string[] {
    return [...this.#reached.get()].flatMap(([user, reached]) => (reached >= seq ? [user] : []))
  }
}
