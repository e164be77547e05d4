import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'
import type { Timeline } from './timeline.ts'

/** Up to which message another member has read, as far as known. */
export interface Reader {
  user: string
  messageID: string
}

/** Who has read what in a room: from `lastRead`, and from the readers of the latest messages when it is opened. */
export class Readers {
  readonly #readers = createStore<readonly Reader[]>([])
  readonly store: Store<readonly Reader[]> = this.#readers
  readonly #timeline: Timeline

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** A marker never moves backwards. */
  hasRead(user: string, messageID: string): void {
    const readers = this.#readers.get()
    const before = readers.find((reader) => reader.user === user)
    const seqOf = (id: string) => this.#timeline.get(id)?.seq
    if (before && (seqOf(before.messageID) ?? 0) >= (seqOf(messageID) ?? Number.POSITIVE_INFINITY)) return
    this.#readers.set(withReplaced(readers, before, { user, messageID }))
  }

  /** Who has read a loaded message, without its sender. What a member has read that is not loaded is newer. */
  of(messageID: string): string[] {
    const message = this.#timeline.get(messageID)
    if (!message) return []
    return this.#readers
      .get()
      .filter(({ user, messageID: id }) => {
        const seq = this.#timeline.get(id)?.seq ?? Number.POSITIVE_INFINITY
        return user !== message.sender._id && seq >= message.seq
      })
      .map(({ user }) => user)
  }
}
