import { asParleyError, isPassing, networkError, type ParleyError } from '../parley-error.ts'
import { growingPauses, sleep } from '../pauses.ts'
import { retryWhilePassing } from '../retry-while-passing.ts'
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
  /** Reads a page, by the time of sending. */
  read: (query: PageQuery) => Promise<Page>
  /** Whether events arrive. */
  isConnected: () => boolean
  /** After each change of the loaded messages. */
  onChange: () => void
}

/** Concurrent messages may arrive out of order; a hole that stays longer is fetched. */
const holeMS = 400
/** Page size when reading again. */
const perPage = 500
/** Beyond this many missed messages only the latest are loaded. */
const mostMissed = 2_000

/** Loads the messages of a room or a thread, and keeps them whole. Pages go by the time of sending, which is the order of seq. */
export class RoomHistory {
  readonly timeline = new Timeline()
  readonly #state = createStore(notLoaded)
  readonly history: Store<HistoryState> = this.#state
  readonly #options: RoomHistoryOptions
  /** Loads go one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #error: ParleyError | undefined
  #opening: Promise<void> | undefined
  #holeTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: RoomHistoryOptions) {
    this.#options = options
  }

  /** Shows cached messages, unless some are loaded. @returns whether it did: they are to be read again */
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
    this.watchHole()
  }

  /** Loads the latest messages, or those around one, unless some are loaded. Concurrent callers share it. */
  load(limit: number, around?: string): Promise<void> {
    if (around !== undefined) return this.#loadAround(limit, around)
    const load = async () => {
      if (!this.timeline.isLoaded) await this.#readLatest(limit)
    }
    this.#opening ??= this.whilePassing(() => this.#inTurn(load)).finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Opens it: `history` has the error of a failure until a next try succeeds. */
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
  async whilePassing(load: () => Promise<void>): Promise<void> {
    const isDone = await retryWhilePassing(load, this.#options.isConnected)
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

  /** Reads the loaded messages again, and those missed since. `latestSeq`: of the room, as far as known. */
  catchUpTo(latestSeq: number): Promise<void> {
    return this.#inTurn(async () => {
      const { timeline } = this
      if (!timeline.isLoaded) return
      if (timeline.isFollowing && latestSeq - timeline.high > mostMissed) await this.#readLatest(100)
      else await this.#walk(timeline.low, timeline.isFollowing ? Number.POSITIVE_INFINITY : timeline.high)
    })
  }

  close(): void {
    clearTimeout(this.#holeTimer)
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

  /** Reads the messages from a loaded one on to a seq, or to the end. */
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
      this.watchHole()
    }
  }

  /** Fetches missing messages unless they arrive soon. */
  watchHole(): void {
    if (!this.timeline.hasHole() || this.#holeTimer !== undefined) return
    this.#holeTimer = setTimeout(() => void this.#fillHole(), holeMS)
  }

  /** While there is no connection, nothing is fetched: the next login catches up. */
  async #fillHole(): Promise<void> {
    const pauses = growingPauses(holeMS, 10_000)
    const fill = () => this.#walk(this.timeline.high, Number.POSITIVE_INFINITY)
    while (this.timeline.hasHole() && this.#options.isConnected()) {
      const error = await this.#inTurn(fill).catch(asParleyError)
      // The next login tries again.
      if (error && !isPassing(error)) break
      if (this.timeline.hasHole()) await sleep(pauses.next())
    }
    this.#holeTimer = undefined
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
