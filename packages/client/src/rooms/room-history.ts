import { asParleyError, isTransient, networkError, type ParleyError } from '../parley-error.ts'
import { createBackoff, sleep } from '../pauses.ts'
import { retryTransient } from '../retry-transient.ts'
import { createStore, type Store } from '../store.ts'
import { type HistoryState, historyState, notLoaded } from './history-state.ts'
import { type Change, type Page, Timeline } from './timeline.ts'

export interface PageQuery {
  limit: number
  beforeMessage?: string
  afterMessage?: string
  afterTime?: string
}

export interface RoomHistoryOptions {
  /** Reads a page of messages, ordered by send time. */
  read: (query: PageQuery) => Promise<Page>
  /** Whether events arrive. */
  isConnected: () => boolean
  /** After each change of the loaded messages. */
  onChange: () => void
}

/** Concurrent messages may arrive out of order. A gap that lasts longer is fetched. */
const gapMS = 400
/** Page size when rereading. */
const perPage = 500
/** Beyond this many missed messages only the latest are loaded. */
const mostMissed = 2_000

/** Loads the messages of a room or thread, and keeps the range gapless. Pages are in send order, as by seq. */
export class RoomHistory {
  readonly timeline = new Timeline()
  readonly #state = createStore(notLoaded)
  readonly history: Store<HistoryState> = this.#state
  readonly #options: RoomHistoryOptions
  /** Serializes loads. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #error: ParleyError | undefined
  #opening: Promise<void> | undefined
  #gapTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: RoomHistoryOptions) {
    this.#options = options
  }

  /** Shows cached messages unless some are loaded. @returns whether they are shown and need a reread */
  protected restore(page: Page): boolean {
    if (this.timeline.isLoaded) return false
    this.#add(page, true)
    return true
  }

  /** Drops the loaded messages. */
  protected drop(): void {
    this.timeline.reset()
    this.#changed()
  }

  apply(change: Change): void {
    this.timeline.apply(change)
    this.#changed()
    this.watchGap()
  }

  /** Loads the latest messages unless some are loaded, or those around one. Callers share a load of the latest. */
  load(limit: number, around?: string): Promise<void> {
    if (around !== undefined) return this.#loadAround(limit, around)
    const load = async () => {
      if (!this.timeline.isLoaded) await this.#readLatest(limit)
    }
    this.#opening ??= this.retrying(() => this.#inTurn(load)).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Runs `open`. `history` has the error of a failure until a later attempt succeeds. */
  protected async opening(open: () => Promise<void>): Promise<void> {
    try {
      await open()
      this.#error = undefined
    } catch (error) {
      this.#error = asParleyError(error)
      throw error
    } finally {
      this.#setState()
    }
  }

  /** Retries loading on transient errors; fails without a connection. */
  async retrying(load: () => Promise<void>): Promise<void> {
    const isDone = await retryTransient(load, this.#options.isConnected)
    if (!isDone) throw networkError('the connection ended')
  }

  /** Drops the loaded messages and loads the latest. */
  toLatest(limit = 50): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.timeline.isFollowing) await this.#readLatest(limit)
    })
  }

  loadOlder(limit = 50): Promise<void> {
    return this.#inTurn(async () => {
      const first = this.timeline.at(this.timeline.low)
      if (first && first.seq > 1) this.#add(await this.#options.read({ limit, beforeMessage: first._id }))
    })
  }

  loadNewer(limit = 50): Promise<void> {
    return this.#inTurn(async () => {
      const last = this.timeline.at(this.timeline.high)
      if (last && !this.timeline.isFollowing) this.#add(await this.#options.read({ limit, afterMessage: last._id }))
    })
  }

  /**
   * Rereads the loaded messages, and reads those missed since.
   * @param latestSeq the conversation's latest known seq
   */
  catchUpTo(latestSeq: number): Promise<void> {
    return this.#inTurn(async () => {
      const { timeline } = this
      if (!timeline.isLoaded) return
      if (timeline.isFollowing && latestSeq - timeline.high > mostMissed) await this.#readLatest(100)
      else await this.#walk(timeline.low, timeline.isFollowing ? Number.POSITIVE_INFINITY : timeline.high)
    })
  }

  close(): void {
    clearTimeout(this.#gapTimer)
  }

  async #readLatest(limit: number): Promise<void> {
    const page = await this.#options.read({ limit })
    this.timeline.reset()
    this.#add(page, true)
  }

  #loadAround(limit: number, around: string): Promise<void> {
    return this.#inTurn(async () => {
      if (this.timeline.get(around)) return
      const before = await this.#options.read({ limit, beforeMessage: around })
      const previous = before.data[0]
      const from = previous ? { afterMessage: previous._id } : { afterTime: '0' }
      const after = await this.#options.read({ limit: limit + 1, ...from })
      this.timeline.reset()
      this.timeline.addPage(before.data.length > 0 ? before : after)
      this.#add(after)
    })
  }

  /** Reads from a loaded message up to a seq, or to the end. */
  async #walk(fromSeq: number, toSeq: number): Promise<void> {
    for (let afterMS = (this.timeline.at(fromSeq)?.createdAtMS ?? 1) - 1; ; ) {
      const page = await this.#options.read({ limit: perPage, afterTime: String(afterMS) })
      this.#add(page)
      const last = page.data.at(-1)
      if (!last || last.seq >= Math.min(toSeq, page.latestSeq)) return
      afterMS = last.createdAtMS
    }
  }

  #add(page: Page, isLatest = false): void {
    this.timeline.addPage(page, isLatest)
    this.#changed()
  }

  async #inTurn(load: () => Promise<void>): Promise<void> {
    this.#waiting++
    this.#setState()
    const mine = this.#last.then(() => this.timeline.loading(load))
    this.#last = mine.catch(() => undefined)
    try {
      await mine
    } finally {
      this.#waiting--
      this.#setState()
      this.watchGap()
    }
  }

  /** Fetches missing messages unless they arrive soon. */
  watchGap(): void {
    if (!this.timeline.hasGap() || this.#gapTimer !== undefined) return
    this.#gapTimer = setTimeout(() => void this.#fillGap(), gapMS)
  }

  /** Stops without a connection: the next login catches up. */
  async #fillGap(): Promise<void> {
    const backoff = createBackoff(gapMS, 10_000)
    const fill = () => this.#walk(this.timeline.high, Number.POSITIVE_INFINITY)
    while (this.timeline.hasGap() && this.#options.isConnected()) {
      const error = await this.#inTurn(fill).catch(asParleyError)
      // The next login retries.
      if (error && !isTransient(error)) break
      if (this.timeline.hasGap()) await sleep(backoff.next())
    }
    this.#gapTimer = undefined
  }

  #changed(): void {
    this.#setState()
    this.#options.onChange()
  }

  #setState(): void {
    this.#state.set(
      historyState(this.#state.get(), this.timeline, { isLoading: this.#waiting > 0, error: this.#error }),
    )
  }
}
