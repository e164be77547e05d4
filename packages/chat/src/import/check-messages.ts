import type { ImportOf } from '@parley/contracts/import-line'
import { maxReactionsOfUser } from '@parley/contracts/resources/message'
import type { KnownIds } from './known-ids.ts'

export type Report = (field: string, reason: string) => void

export class CheckedQuotes {
  readonly #messages: KnownIds
  readonly #threadOf = new Map<bigint, bigint>()

  readonly #roots = new Set<bigint>()

  constructor(messages: KnownIds) {
    this.#messages = messages
  }

  hasThread(root: bigint): boolean {
    return this.#roots.has(root)
  }

  isInThread(hash: bigint): boolean {
    return this.#threadOf.has(hash)
  }

  /** @returns the action to run if the message has no problem */
  check({ _id, replyTo, threadOf }: ImportOf<'message'>, hashOf: (id: string) => bigint, report: Report): () => void {
    const root = threadOf === undefined ? undefined : hashOf(threadOf)
    if (root !== undefined) {
      if (!this.#messages.has(root)) report('threadOf', 'no earlier line is for this message of the room')
      else if (this.isInThread(root)) report('threadOf', 'is in a thread itself: name the root of that thread')
    }
    const take = () => {
      if (root === undefined) return
      this.#threadOf.set(hashOf(_id), root)
      this.#roots.add(root)
    }
    if (replyTo === undefined) return take
    const parent = hashOf(replyTo)
    if (!this.#messages.has(parent)) report('replyTo', 'no earlier line is for this message of the room')
    else if (root === undefined && this.isInThread(parent)) report('threadOf', 'required: replyTo is in a thread')
    else if (root !== undefined && parent !== root && this.#threadOf.get(parent) !== root) {
      report('replyTo', 'is a message outside the thread')
    }
    return take
  }
}

export function checkReactions(reactions: NonNullable<ImportOf<'message'>['reactions']>, report: Report): void {
  if (new Set(reactions.map(({ client, reaction }) => `${client}\0${reaction}`)).size < reactions.length) {
    report('reactions', 'a user may give each reaction once')
  }
  const ofUsers = Map.groupBy(reactions, ({ client }) => client).values()
  if ([...ofUsers].some(({ length }) => length > maxReactionsOfUser)) {
    report('reactions', `a user may give a message at most ${maxReactionsOfUser}`)
  }
}
