import type { ListMessagesResult, Message, Quote } from '../generated/types.ts'
import { afterThreadMessage, withThreadOf } from '../threads/root.ts'
import { withoutContent } from './deleted-message.ts'
import { isOutdated } from './outdated.ts'
import { deletedQuote, quoteOf, requoted } from './quotes.ts'

/** An idempotent change to messages. */
export type Change =
  | { kind: 'message'; message: Message }
  /** A message in a thread about one of the messages was sent or changed. */
  | { kind: 'in thread'; message: Message }
  | { kind: 'deleted'; messageID: string }
  | { kind: 'hidden'; messageIDs: readonly string[] }
  /** Covers the messages that `had` matches. */
  | { kind: 'all deleted' | 'all hidden'; had: (message: Message) => boolean }

export type Page = Pick<ListMessagesResult, 'data' | 'userDeletedIDs' | 'latestSeq'>

/** Loaded messages that stay when new ones arrive, besides older pages that were loaded. */
const mostKept = 5_000
/** Dropped at once beyond that. */
const dropped = 1_000

/**
 * The loaded messages of a room or thread, one per seq: a gapless range from `low` to `high`, and arrivals beyond a gap
 * while it follows the latest.
 */
export class Timeline {
  low = 1
  high = 0
  isLoaded = false
  /** Whether new messages belong to the loaded range. */
  isFollowing = false
  /** The highest known seq. */
  latestSeq = 0
  readonly #bySeq = new Map<number, Message>()
  readonly #seqs = new Map<string, number>()
  readonly #hidden = new Set<string>()
  /** Changes that arrived while pages were read, which may be older. */
  #late: Change[] = []
  #loads = 0
  #most = mostKept

  /** The messages to show, by seq. */
  shown(): Message[] {
    return [...this.#bySeq.keys()]
      .sort((a, b) => a - b)
      .flatMap((seq) => this.#bySeq.get(seq) ?? [])
      .filter(({ _id }) => !this.#hidden.has(_id))
  }

  get(messageID: string): Message | undefined {
    return this.#bySeq.get(this.#seqs.get(messageID) ?? 0)
  }

  at(seq: number): Message | undefined {
    return this.#bySeq.get(seq)
  }

  isHidden(messageID: string): boolean {
    return this.#hidden.has(messageID)
  }

  /** Whether messages are missing between the loaded range and later arrivals. */
  hasGap(): boolean {
    return this.isFollowing && this.high < this.latestSeq
  }

  apply(change: Change): void {
    if (this.#loads > 0) this.#late.push(change)
    this.#make(change)
  }

  /** Reads pages. Changes that arrive meanwhile are applied to the pages too. */
  async loading<T>(read: () => Promise<T>): Promise<T> {
    this.#loads++
    try {
      return await read()
    } finally {
      if (--this.#loads === 0) this.#late = []
    }
  }

  /**
   * Adds a page that adjoins or overlaps the loaded range.
   * @param isLatest whether it was read from the end of the history
   */
  addPage({ data, userDeletedIDs, latestSeq }: Page, isLatest = false): void {
    const { low } = this
    if (!this.isLoaded) {
      const first = data.reduce((least, { seq }) => Math.min(least, seq), Number.POSITIVE_INFINITY)
      this.low = data.length > 0 ? first : latestSeq + 1
      this.high = this.low - 1
      this.isLoaded = true
    }
    for (const message of data) {
      this.#put(message)
      this.#hidden.delete(message._id)
    }
    for (const id of userDeletedIDs) this.#hidden.add(id)
    this.latestSeq = Math.max(this.latestSeq, latestSeq)
    if (isLatest) this.isFollowing = true
    for (const change of this.#late) this.#make(change)
    this.#grow()
    if (this.low < low) this.#most = this.high - this.low + mostKept
  }

  /** The last messages. Undefined if they have a gap, or if it does not follow the latest. */
  latest(most: number): Page | undefined {
    if (!this.isLoaded || !this.isFollowing || this.hasGap()) return undefined
    const data: Message[] = []
    for (let seq = Math.max(this.low, this.high - most + 1); seq <= this.high; seq++) {
      const message = this.at(seq)
      if (message) data.push(message)
    }
    const userDeletedIDs = data.flatMap(({ _id }) => (this.#hidden.has(_id) ? _id : []))
    return { data, userDeletedIDs, latestSeq: this.high }
  }

  /** Drops the loaded messages. */
  reset(): void {
    this.#bySeq.clear()
    this.#seqs.clear()
    this.low = 1
    this.high = 0
    this.isLoaded = false
    this.isFollowing = false
  }

  #make(change: Change): void {
    if (change.kind === 'message') this.#take(change.message)
    else if (change.kind === 'in thread') this.#takeInThread(change.message)
    else if (change.kind === 'deleted') {
      this.#delete(this.get(change.messageID))
      this.#requote(change.messageID, deletedQuote)
    } else if (change.kind === 'hidden') for (const id of change.messageIDs) this.#hidden.add(id)
    else {
      for (const message of this.#bySeq.values()) {
        if (!change.had(message)) continue
        if (change.kind === 'all deleted') this.#delete(message)
        else this.#hidden.add(message._id)
      }
    }
  }

  #take(message: Message): void {
    // Nothing quotes a message that has just been sent.
    const isKnown = message.seq <= this.latestSeq
    if (isKnown && !isOutdated(message, this.at(message.seq))) this.#requote(message._id, () => quoteOf(message))
    this.latestSeq = Math.max(this.latestSeq, message.seq)
    if (!this.isLoaded || message.seq < this.low) return
    if (message.seq > this.high + 1 && !this.isFollowing) return
    this.#put(message)
    this.#grow()
    if (!this.isFollowing || this.high - this.low < this.#most) return
    for (let left = dropped; left > 0; left--) {
      this.#seqs.delete(this.at(this.low)?._id ?? '')
      this.#bySeq.delete(this.low++)
    }
  }

  #takeInThread(message: Message): void {
    const root = this.get(message.threadOf ?? '')
    if (root) this.#bySeq.set(root.seq, afterThreadMessage(root, message))
  }

  #put(message: Message): void {
    const known = this.at(message.seq)
    if (isOutdated(message, known)) return
    this.#bySeq.set(message.seq, withThreadOf(known, message))
    this.#seqs.set(message._id, message.seq)
  }

  #delete(message: Message | undefined): void {
    if (message && !message.isDeleted) this.#bySeq.set(message.seq, withoutContent(message))
  }

  /** Updates all quotes of a message, loaded or not. */
  #requote(messageID: string, now: (before: Quote) => Quote): void {
    for (const [seq, message] of this.#bySeq) this.#bySeq.set(seq, requoted(message, messageID, now))
  }

  #grow(): void {
    while (this.#bySeq.has(this.low - 1)) this.low--
    while (this.#bySeq.has(this.high + 1)) this.high++
    if (this.isLoaded && this.high >= this.latestSeq) this.isFollowing = true
  }
}
