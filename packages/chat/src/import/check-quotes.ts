import type { ImportOf } from '@parley/contracts/import-line'
import type { KnownIds } from './known-ids.ts'

/** Reports a fault of a line. */
export type No = (field: string, reason: string) => void

/** Checks the quotes and threads of messages. */
export class CheckedQuotes {
  readonly #messages: KnownIds
  /** The threaded messages, with the root of their thread. */
  readonly #threadOf = new Map<bigint, bigint>()

  /** @param messages those of earlier lines */
  constructor(messages: KnownIds) {
    this.#messages = messages
  }

  isInThread(hash: bigint): boolean {
    return this.#threadOf.has(hash)
  }

  /** @returns the action for a message without a problem */
  check({ _id, replyTo, threadOf }: ImportOf<'message'>, hashOf: (id: string) => bigint, no: No): () => void {
    const root = threadOf === undefined ? undefined : hashOf(threadOf)
    if (root !== undefined) {
      if (!this.#messages.has(root)) no('threadOf', 'no line before this one is of this message of the room')
      else if (this.isInThread(root)) no('threadOf', 'is in a thread itself: name the message that that is about')
    }
    const take = () => {
      if (root !== undefined) this.#threadOf.set(hashOf(_id), root)
    }
    if (replyTo === undefined) return take
    const parent = hashOf(replyTo)
    if (!this.#messages.has(parent)) no('replyTo', 'no line before this one is of this message of the room')
    else if (root === undefined && this.isInThread(parent))
      no('threadOf', 'required: it replies to a message of a thread')
    else if (root !== undefined && parent !== root && this.#threadOf.get(parent) !== root) {
      no('replyTo', 'is a message outside of the thread')
    }
    return take
  }
}
