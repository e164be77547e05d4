import { clock } from '@parley/async/clock'
import { runEvery, startRunning } from '@parley/async/run-every'
import type { Bus } from '@parley/bus/connect'
import { type Following, followStream, type StoredMessage, streamBounds } from '@parley/bus/stream/app-events'
import { appEventsSubjects } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { Log } from '../ports.ts'
import { type FeedPosition, movedTo, reaches } from './cursor.ts'
import { type FeedEntry, readEntry } from './feed-entry.ts'

const recheckMS = 1_000
/** With these, the streams lose events that may still be in memory. */
const erasures: ReadonlySet<string> = new Set(['userDeleted', 'contentErased'] satisfies FeedOnlyEvent[])
/** Interval at which the position of an idle app advances, so that its readers' cursors stay fresh. */
const normalMoveOnEveryMS = 15_000

/** Buffers the latest events of one app, read once from the streams for all of its readers in this process. */
export interface AppFeed {
  /** Settles when the feed follows the streams. */
  ready: Promise<void>
  /** The buffer holds all events of the app after `from`, up to `head`. */
  readonly from: FeedPosition
  readonly head: FeedPosition
  after(position: FeedPosition): readonly FeedEntry[]
  /** Settles when an event arrives, after `ms`, or when the signal aborts. */
  changed(ms: number, signal: AbortSignal): Promise<void>
  stop(): void
}

/** @param maxBytes current size limit of the buffer in bytes */
export function openAppFeed(
  bus: Bus,
  app: string,
  log: Log,
  maxBytes: () => number,
  moveOnEveryMS = normalMoveOnEveryMS,
): AppFeed {
  const stopping = new AbortController()
  const { signal } = stopping
  const waiting = new Set<() => void>()
  const latest = createLatestEvents(maxBytes)
  const head = createHead()
  const followed = new Map<number, FollowedStream>()
  const wakeAll = () => waiting.forEach((wake) => wake())
  const shared: FollowParts = {
    bus,
    app,
    signal,
    headOf: (index) => head.position.seqs[index] ?? 0,
    onError: (error) => log.warn({ err: error, app }, 'events feed interrupted; trying again'),
    take(index, message) {
      if (message.seq <= shared.headOf(index)) return
      const before = head.position
      head.moveTo(index, message.seq, message.timeMS)
      const entry = readEntry(bus, { ...message, index }, head.position)
      if (entry && erasures.has(entry.event)) latest.reset(before)
      if (entry) latest.add(entry)
      if (entry) wakeAll()
    },
    startOver(index, seq) {
      head.moveTo(index, seq, clock.now())
      latest.reset(head.position)
    },
    wakeAll,
  }

  /** Streams added later are read from their beginning, after the earlier ones' events of their partitions. */
  function followAll(isLater: boolean): void {
    for (const [index, stream] of bus.streams.names.entries()) {
      if (followed.has(index)) continue
      const earlier = isLater ? [...followed.values()] : []
      head.begin(index)
      followed.set(index, follow(shared, { index, stream, isLater, earlier }))
    }
  }
  followAll(false)
  const ready = Promise.all([...followed.values()].map((one) => one.ready)).then(() => undefined)
  const forget = bus.streams.onGrowth(() => followAll(true))

  /** Advances the position of an idle app. If events exist but do not arrive, reading starts over. */
  async function moveOn(): Promise<void> {
    for (const [index, one] of followed) {
      const timeMS = clock.now()
      const seq = await one.quietAt()
      if (seq === undefined) one.startOverIfStuck()
      else if (seq >= shared.headOf(index)) head.moveTo(index, seq, timeMS)
    }
  }
  const moving = startRunning(moveOnEveryMS, moveOn, () => followed.forEach((one) => one.stop()))

  return {
    ready,
    get from() {
      return latest.from
    },
    get head() {
      return head.position
    },
    after: (position) => latest.after(position),
    changed: (ms, until) => nextCall(waiting, ms, until),
    stop() {
      stopping.abort()
      forget()
      for (const one of followed.values()) one.stop()
      void moving.stop()
    },
  }
}

/** Position of the feed in all streams. Its time is that of the stream that is furthest behind. */
function createHead() {
  let position: FeedPosition = { seqs: [], timeMS: 0 }
  /** Time up to which each stream is read, by index. */
  const upTo = new Map<number, number>()
  return {
    get position() {
      return position
    },
    begin: (stream: number) => upTo.set(stream, clock.now()),
    moveTo(stream: number, seq: number, ofStreamMS: number): void {
      upTo.set(stream, ofStreamMS)
      position = movedTo(position, { stream, seq, timeMS: Math.min(...upTo.values()) })
    },
  }
}

interface FollowParts {
  bus: Bus
  app: string
  signal: AbortSignal
  headOf: (index: number) => number
  onError: (error: Error) => void
  take: (index: number, message: StoredMessage) => void
  /** The feed lacks everything before a position. */
  startOver: (index: number, seq: number) => void
  wakeAll: () => void
}

interface FollowedStream {
  stream: string
  ready: Promise<void>
  /** Whether all of the app's events up to a position are handled. */
  isPast: (seq: number) => Promise<boolean>
  /** The end of the stream, if all of the app's events up to it are handled. */
  quietAt: () => Promise<number | undefined>
  /** Restarts reading if it has made no progress since the last call. */
  startOverIfStuck: () => void
  stop: () => void
}

/** Follows one stream until the signal aborts. */
function follow(
  { bus, app, signal, headOf, onError, take, startOver, wakeAll }: FollowParts,
  {
    index,
    stream,
    isLater,
    earlier,
  }: { index: number; stream: string; isLater: boolean; earlier: readonly FollowedStream[] },
): FollowedStream {
  const ready = Promise.withResolvers<void>()
  let following: Following | undefined
  let isBegun = isLater
  let stoodAt = 0

  async function run(): Promise<void> {
    const { after, grownFromSeq, firstSeq, lastSeq } = await streamBounds(bus, stream)
    if (!following) for (const one of earlier) if (!(await one.isPast(after[one.stream] ?? 0))) return
    const from = isLater && headOf(index) === 0 ? Math.max(grownFromSeq, firstSeq) - 1 : headOf(index)
    const isKept = isBegun && from + 1 >= firstSeq && from <= lastSeq
    if (!isKept) startOver(index, lastSeq)
    const afterSeq = isKept ? from : lastSeq
    const subjects = appEventsSubjects(app)
    following = await followStream(bus, { stream, subjects, afterSeq }, (message) => take(index, message))
    isBegun = true
    if (signal.aborted) following.stop()
    ready.resolve()
    wakeAll()
    await following.ended
  }
  void runEvery(recheckMS, run, { onError, signal })

  async function quietAt(): Promise<number | undefined> {
    const { lastSeq } = await streamBounds(bus, stream)
    const at = headOf(index)
    return (await following?.isAtEnd(at)) ? lastSeq : undefined
  }

  return {
    ...{ stream, ready: ready.promise, quietAt },
    isPast: async (seq) => headOf(index) >= seq || (await quietAt()) !== undefined,
    startOverIfStuck() {
      if (headOf(index) === stoodAt) following?.stop()
      stoodAt = headOf(index)
    },
    stop: () => following?.stop(),
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

const maxEntries = 1_000

/** The latest events of an app in memory: all after `from`. @param maxBytes current size limit in bytes */
export function createLatestEvents(maxBytes: () => number) {
  let entries: FeedEntry[] = []
  let bytes = 0
  let from: FeedPosition = { seqs: [], timeMS: 0 }
  return {
    get from() {
      return from
    },
    add(entry: FeedEntry) {
      entries.push(entry)
      bytes += entry.json.length
      while (entries.length > maxEntries || bytes > maxBytes()) {
        const gone = entries.shift()
        if (!gone) break
        bytes -= gone.json.length
        from = { seqs: gone.seqs, timeMS: gone.timeMS }
      }
    },
    after: (position: FeedPosition) =>
      entries.slice(firstAfter(entries, position)).filter(({ stream, seq }) => seq > (position.seqs[stream] ?? 0)),
    /** Starts over with an empty buffer from a position. */
    reset(position: FeedPosition) {
      entries = []
      bytes = 0
      from = position
    },
  }
}

/** Index of the first entry that the position has not reached. */
function firstAfter(entries: readonly FeedEntry[], position: FeedPosition): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = entries[middle]
    if (entry && !reaches(position, entry)) high = middle
    else low = middle + 1
  }
  return low
}
