import type { IncomingEvent } from '@parley/bus/events/incoming'
import { isNewMessage } from '@parley/contracts/socket/server-events'
import { topicOf } from './topics.ts'

/** How a wait ended: the missing message arrived, did not arrive, or none was known to be missing. */
export type WaitOutcome = 'came' | 'ran out' | 'first'

export interface NextSeq {
  topic: string
  thread: string | undefined
  next: number
}

interface Waiting<Event> {
  event: Event
  seq: number
  isNew: boolean
  sinceMS: number
}

interface OrderedQueue<Event> {
  topic: string
  thread: string | undefined
  /** The seq of the next message; undefined before any is known. */
  next: number | undefined
  /** In order: by seq, a message before the events about it. */
  waiting: Waiting<Event>[]
  /** Messages that are being fetched, from this seq on; whether they will come. `untilMS` is known once `outcome` is. */
  fetch?: { fromSeq: number; outcome?: 'coming' | 'vain'; untilMS?: number }
}

/** The most threads remembered per room; the next message of another counts as the first. */
const maxThreads = 200
/** The most bytes that may wait; above it, rooms stop waiting. */
const maxWaitingBytes = 16 * 1024 * 1024
/** The wait is this many times as long for a message that was fetched. */
const waitsForFetched = 5
/** The wait is this many times as long for the stream: by then live delivery has given up on a missing message. */
export const waitsOfStream = waitsForFetched + 2
/** Waits are checked this often per `waitMS`. */
export const checksPerWait = 10

interface InOrderParts<Event> {
  /** How long a message waits for earlier ones. */
  waitMS: number
  deliver: (event: Event) => void
  /** Called for each event that has waited. */
  waited?: (outcome: WaitOutcome) => void
  /**
   * Republishes missing messages; returns the first that will come. It must settle in bounded time, since the messages are
   * waited for meanwhile. Without it, nothing waits longer than `waitMS`.
   */
  fetch?: ((missing: Missing) => Promise<number | undefined>) | undefined
  /** Whether the first message heard of a room can follow missing ones: before, the room was silent. */
  fetchesFirst?: boolean
}

export interface Missing {
  topic: string
  thread: string | undefined
  fromSeq: number
  toSeq: number
}

/**
 * Orders the events of messages by `seq`, in each room and thread: an early message waits for those before it, an edit or a
 * deletion for its message. After `waitMS` they go out regardless, unless the missing ones can be fetched.
 */
export class InOrder<Event extends IncomingEvent> {
  readonly #waitMS: number
  readonly #deliver: (event: Event) => void
  readonly #waited: (outcome: WaitOutcome) => void
  readonly #fetch: InOrderParts<Event>['fetch']
  readonly #fetchesFirst: boolean
  readonly #rooms = new Map<string, OrderedQueue<Event>>()
  readonly #threadsOf = new Map<string, Map<string, OrderedQueue<Event>>>()
  /** Rooms and threads with waiting events. */
  readonly #waiting = new Set<OrderedQueue<Event>>()
  #waitingBytes = 0
  #checkAtMS = 0

  constructor({ waitMS, deliver, waited = () => undefined, fetch, fetchesFirst = false }: InOrderParts<Event>) {
    this.#waitMS = waitMS
    this.#deliver = deliver
    this.#waited = waited
    this.#fetch = fetch
    this.#fetchesFirst = fetchesFirst
  }

  /** Delivers the event now, or in its turn; at once if it has no position, or its turn has passed. */
  take(event: Event, nowMS: number): void {
    const position = event.message
    if (position === undefined) return this.#deliver(event)
    const { seq } = position
    const isNew = isNewMessage(event.event)
    const queue = this.#queueOf(topicOf(event.to), position.thread)
    const one = { event, seq, isNew, sinceMS: nowMS }
    const [earliest] = queue.waiting
    // It must not overtake one that waits, which can be of the same append.
    const isEarliest = earliest === undefined || isBefore(one, earliest)
    const isFirst = queue.next === undefined && isEarliest && ((isNew && seq === 1) || !position.mayOvertake)
    // An edit, which can be of an old message, or a repeated event does not start the count.
    if (isFirst && (!isNew || event.republished)) return this.#deliver(event)
    if (isFirst) queue.next = seq
    if (queue.next === undefined || !isReady(queue.next, seq, isNew)) return this.#wait(queue, one)
    if (isNew && seq === queue.next) queue.next++
    this.#deliver(event)
    if (queue.waiting.length > 0) this.#deliverReady(queue)
  }

  /** Delivers every event that has waited too long. */
  expire(nowMS: number): void {
    if (this.#waiting.size === 0 || nowMS < this.#checkAtMS) return
    this.#checkAtMS = nowMS + this.#waitMS / checksPerWait
    for (const queue of this.#waiting) {
      // A fetch may have told which message is next.
      this.#deliverReady(queue)
      while (this.#hasExpired(queue, nowMS) && !this.#isFetching(queue, nowMS))
        this.#deliverEarly(queue, untilGap(queue))
    }
  }

  #hasExpired({ waiting }: OrderedQueue<Event>, nowMS: number): boolean {
    return waiting.some(({ sinceMS }) => sinceMS + this.#waitMS <= nowMS)
  }

  /** Fetches missing messages once; false if the wait for them is over. */
  #isFetching(queue: OrderedQueue<Event>, nowMS: number): boolean {
    const { topic, thread, next, waiting } = queue
    const [first] = waiting
    // Messages of a thread follow its earlier ones when they are published.
    const canFetch = next !== undefined || (this.#fetchesFirst && thread === undefined)
    if (!this.#fetch || !first || !canFetch) return false
    const fromSeq = next ?? 1
    if (queue.fetch && (next === undefined || queue.fetch.fromSeq === next)) {
      const { outcome } = queue.fetch
      if (outcome === undefined) return true
      queue.fetch.untilMS ??= nowMS + waitsForFetched * this.#waitMS
      return outcome === 'coming' && nowMS < queue.fetch.untilMS
    }
    const fetch: NonNullable<typeof queue.fetch> = { fromSeq }
    queue.fetch = fetch
    const toSeq = first.isNew ? first.seq - 1 : first.seq
    const ask = async () => {
      const firstSeq = await this.#fetch?.({ topic, thread, fromSeq, toSeq })
      fetch.outcome = firstSeq === undefined ? 'vain' : 'coming'
      if (firstSeq !== undefined && queue.next === undefined) {
        fetch.fromSeq = firstSeq
        queue.next = firstSeq
      }
    }
    void ask()
    return true
  }

  get isWaiting(): boolean {
    return this.#waiting.size > 0
  }

  /** The waiting events, room by room, in order. */
  waiting(): Event[] {
    return [...this.#waiting].flatMap((queue) => queue.waiting.map(({ event }) => event))
  }

  /**
   * Learns the next seq from another InOrder, unless it is known here.
   * @param isUpToNow whether the other has had every event so far; otherwise it counts only for events that wait here
   */
  learn({ topic, thread, next }: NextSeq, isUpToNow: boolean): void {
    const queue = this.#queueOf(topic, thread)
    const [first] = queue.waiting
    if (queue.next !== undefined || !(isUpToNow || (first && first.seq <= next))) return
    queue.next = next
    this.#deliverReady(queue)
  }

  /** The input of another InOrder's `learn`. */
  *nextSeqs(): Iterable<NextSeq> {
    for (const { topic, thread, next } of this.#queues()) if (next !== undefined) yield { topic, thread, next }
  }

  /** Some messages were missed: restarts the count at the next message. Waiting events still wait. */
  missed(): void {
    for (const queue of this.#queues()) {
      queue.next = undefined
      delete queue.fetch
    }
  }

  forget(topic: string): void {
    for (const queue of [this.#rooms.get(topic), ...(this.#threadsOf.get(topic)?.values() ?? [])]) {
      if (!queue) continue
      for (const { event } of queue.waiting) this.#waitingBytes -= event.data.byteLength
      queue.waiting = []
      this.#waiting.delete(queue)
    }
    this.#rooms.delete(topic)
    this.#threadsOf.delete(topic)
  }

  /** Delivers everything that waits. */
  flush(): void {
    for (const queue of this.#waiting) this.#deliverEarly(queue, queue.waiting.length)
  }

  *#queues(): Iterable<OrderedQueue<Event>> {
    for (const queues of [this.#rooms, ...this.#threadsOf.values()]) yield* queues.values()
  }

  #queueOf(topic: string, thread: string | undefined): OrderedQueue<Event> {
    const known = thread === undefined ? this.#rooms.get(topic) : this.#threadsOf.get(topic)?.get(thread)
    if (known) return known
    const queue: OrderedQueue<Event> = { topic, thread, next: undefined, waiting: [] }
    if (thread === undefined) this.#rooms.set(topic, queue)
    else this.#keepThread(topic, thread, queue)
    return queue
  }

  #keepThread(topic: string, thread: string, queue: OrderedQueue<Event>): void {
    const threads = this.#threadsOf.get(topic) ?? new Map<string, OrderedQueue<Event>>()
    this.#threadsOf.set(topic, threads)
    if (threads.size >= maxThreads)
      for (const [name, { waiting }] of threads) if (waiting.length === 0) threads.delete(name)
    threads.set(thread, queue)
  }

  #wait(queue: OrderedQueue<Event>, one: Waiting<Event>): void {
    const { waiting } = queue
    let at = waiting.length
    while (at > 0 && isBefore(one, waiting[at - 1] as Waiting<Event>)) at--
    for (let i = at - 1; waiting[i]?.seq === one.seq; i--) if (isSame(waiting[i]?.event, one.event)) return
    waiting.splice(at, 0, one)
    this.#waitingBytes += one.event.data.byteLength
    this.#waiting.add(queue)
    if (this.#waitingBytes > maxWaitingBytes) this.#deliverEarly(queue, waiting.length)
  }

  #deliverReady(queue: OrderedQueue<Event>): void {
    for (let first = queue.waiting[0]; first; first = queue.waiting[0]) {
      if (!isReady(queue.next ?? 0, first.seq, first.isNew)) return
      this.#deliverFirst(queue, 'came')
    }
  }

  /** Delivers the first `count` events, and those that are ready then. */
  #deliverEarly(queue: OrderedQueue<Event>, count: number): void {
    const outcome = queue.next === undefined ? 'first' : 'ran out'
    for (let left = count; left > 0; left--) this.#deliverFirst(queue, outcome)
    this.#deliverReady(queue)
  }

  #deliverFirst(queue: OrderedQueue<Event>, outcome: WaitOutcome): void {
    const first = queue.waiting.shift()
    if (!first) return
    this.#waitingBytes -= first.event.data.byteLength
    if (queue.waiting.length === 0) this.#waiting.delete(queue)
    if (first.isNew) queue.next = Math.max(queue.next ?? 0, first.seq + 1)
    else if (queue.next !== undefined) queue.next = Math.max(queue.next, first.seq)
    this.#waited(outcome)
    this.#deliver(first.event)
  }
}

/** A message is ready in its turn or later; an event about a message, after the message. */
function isReady(next: number, seq: number, isNew: boolean): boolean {
  return isNew ? seq <= next : seq < next
}

/** The number of waiting events before the next gap, whose messages can be fetched in their turn. */
function untilGap({ waiting }: OrderedQueue<unknown>): number {
  const gap = waiting.findIndex(({ seq, isNew }, i) => {
    const { seq: before } = waiting[i - 1] ?? { seq }
    return seq > before + (isNew ? 1 : 0)
  })
  return gap < 0 ? waiting.length : gap
}

function isBefore(one: Waiting<unknown>, other: Waiting<unknown>): boolean {
  return one.seq < other.seq || (one.seq === other.seq && one.isNew && !other.isNew)
}

function isSame(one: IncomingEvent | undefined, other: IncomingEvent): boolean {
  return one?.id !== undefined && one.id === other.id && one.event === other.event
}
