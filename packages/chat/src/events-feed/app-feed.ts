import { clock } from '@parley/async/clock'
import { runEvery, startRunning } from '@parley/async/run-every'
import type { Bus } from '@parley/bus/connect'
import { type Following, followStream, type StoredMessage, streamBounds } from '@parley/bus/stream/app-events'
import { appEventsSubjects } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { Log } from '../ports.ts'
import type { FeedPosition } from './cursor.ts'
import { type FeedEntry, readEntry } from './feed-entry.ts'

const lookAgainMS = 1_000
/** The stream has lost events by now that may be in memory. */
const contentErased: string = 'contentErased' satisfies FeedOnlyEvent
/** How often the position of an idle app advances, so that cursors of its readers stay fresh. */
const normalMoveOnEveryMS = 15_000

/** The latest events of one app, read once from the stream for all its readers in this process. */
export interface AppFeed {
  /** Resolves when it follows the stream. */
  ready: Promise<void>
  /** The buffer has all events of the app after `from`, up to `head`. */
  readonly from: FeedPosition
  readonly head: FeedPosition
  after(seq: number): readonly FeedEntry[]
  /** Resolves when the next event arrives, after `ms` milliseconds, or when the signal aborts. */
  changed(ms: number, signal: AbortSignal): Promise<void>
  stop(): void
}

/** @param mostBytes how many bytes of events it may keep now */
export function openAppFeed(
  bus: Bus,
  app: string,
  log: Log,
  mostBytes: () => number,
  moveOnEveryMS = normalMoveOnEveryMS,
): AppFeed {
  const stopping = new AbortController()
  const waiting = new Set<() => void>()
  const latest = createLatestEvents(mostBytes)
  const ready = Promise.withResolvers<void>()
  let head = latest.from
  let following: Following | undefined
  const wakeAll = () => {
    for (const wake of waiting) wake()
  }

  function take(message: StoredMessage): void {
    if (message.seq <= head.seq) return
    const entry = readEntry(bus, message)
    if (entry && entry.event === contentErased) latest.reset(head)
    if (entry) latest.add(entry)
    head = { seq: message.seq, timeMS: message.timeMS }
    if (entry) wakeAll()
  }

  async function follow(): Promise<void> {
    const { firstSeq, lastSeq } = await streamBounds(bus)
    const isKept = following !== undefined && head.seq + 1 >= firstSeq && head.seq <= lastSeq
    if (!isKept) {
      head = { seq: lastSeq, timeMS: clock.now() }
      latest.reset(head)
    }
    following = await followStream(bus, appEventsSubjects(app), head.seq, take)
    if (stopping.signal.aborted) following.stop()
    ready.resolve()
    wakeAll()
    await following.ended
  }

  const onError = (error: Error) => log.warn({ err: error, app }, 'events feed interrupted; trying again')
  void runEvery(lookAgainMS, follow, { onError, signal: stopping.signal })

  let stoodAt = 0
  /** On an idle app, the position advances. If there is more that does not arrive, reading starts over. */
  async function moveOn(): Promise<void> {
    const timeMS = clock.now()
    const { lastSeq } = await streamBounds(bus)
    const isQuiet = await following?.isAtEnd(head.seq)
    if (isQuiet && lastSeq >= head.seq) head = { seq: lastSeq, timeMS }
    if (!isQuiet && head.seq === stoodAt) following?.stop()
    stoodAt = head.seq
  }
  const moving = startRunning(moveOnEveryMS, moveOn, () => following?.stop())

  return {
    ready: ready.promise,
    get from() {
      return latest.from
    },
    get head() {
      return head
    },
    after: (seq) => latest.after(seq),
    changed: (ms, signal) => nextCall(waiting, ms, signal),
    stop() {
      stopping.abort()
      following?.stop()
      void moving.stop()
    },
  }
}

function nextCall(waiting: Set<() => void>, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      waiting.delete(done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    waiting.add(done)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

const mostEntries = 1_000

/** The latest events of an app in memory: all of them after `from`. */
export interface LatestEvents {
  readonly from: FeedPosition
  add(entry: FeedEntry): void
  after(seq: number): readonly FeedEntry[]
  /** Starts over: holds all events after a position. */
  reset(from: FeedPosition): void
}

/** @param mostBytes how many bytes of events it may keep now */
export function createLatestEvents(mostBytes: () => number): LatestEvents {
  let entries: FeedEntry[] = []
  let bytes = 0
  let from: FeedPosition = { seq: 0, timeMS: 0 }
  return {
    get from() {
      return from
    },
    add(entry) {
      entries.push(entry)
      bytes += entry.json.length
      while (entries.length > mostEntries || bytes > mostBytes()) {
        const gone = entries.shift()
        if (!gone) break
        bytes -= gone.json.length
        from = { seq: gone.seq, timeMS: gone.timeMS }
      }
    },
    after: (seq) => entries.slice(firstAfter(entries, seq)),
    reset(place) {
      entries = []
      bytes = 0
      from = place
    },
  }
}

/** The index of the first entry after a position: entries are in order. */
function firstAfter(entries: readonly FeedEntry[], seq: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.seq ?? 0) > seq) high = middle
    else low = middle + 1
  }
  return low
}
