import { setTimeout as pause } from 'node:timers/promises'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { feedEvents } from '@parley/contracts/resources/feed-event'
import { forKeys, limitPerApp } from '../limit-per-app.ts'
import type { Log } from '../ports.ts'
import { type AppFeed, openAppFeed } from './app-feed.ts'
import { type FeedPosition, later, reaches } from './cursor.ts'
import { endOf, type FeedPage, type FeedQuery, findPosition, type Parts, readFeed, readOld } from './read-feed.ts'

/** Memory limits, for all apps together and per app. */
const maxBytesInAll = 64 * 1024 * 1024
const maxBytesOfApp = 4 * 1024 * 1024
/** Concurrent readers of one app in this process. */
const maxReaders = 1_000
/** An app without readers is followed this much longer. */
const lingerMS = 60_000
const openWithinMS = 10_000

/** The feeds of the apps with readers in this process. */
export interface Feeds {
  /** The end of the streams now. @throws ApiError SERVICE_UNAVAILABLE */
  end(): Promise<FeedPosition>
  /**
   * The next events of an app. If there are none, waits until one arrives, the time is over, or the signal aborts.
   * Readers that have caught up are served from memory.
   * @throws ApiError CURSOR_GONE, SERVICE_UNAVAILABLE; TOO_MANY_REQUESTS with too many readers
   */
  read(app: string, query: FeedQuery, signal: AbortSignal): Promise<FeedPage>
  /** Ends all waits. */
  stop(): void
  readonly isStopped: boolean
  /** Readers in this process that are waiting or being served. */
  readonly readers: number
  /** The lag of the slowest reader since the last call, in milliseconds. */
  takeLagMS(): number
}

interface OpenFeed {
  feed: AppFeed
  readers: number
  closing?: NodeJS.Timeout
}

export function createFeeds({ db, bus, log }: Parts & { log: Log }): Feeds {
  const feeds = new Map<string, OpenFeed>()
  const stopping = new AbortController()
  const readings = new Set<() => void>()
  const limits = { ...forKeys(4), inAll: 16, waiting: maxReaders, waitMS: 30_000 }
  const behind = limitPerApp('readers of old events', limits)
  /** A position that the streams have reached, possibly by events of other apps. */
  let reached: FeedPosition = { seqs: [], timeMS: 0 }
  let lagMS = 0
  const maxBytes = () => Math.min(maxBytesOfApp, maxBytesInAll / feeds.size)

  function enter(app: string): OpenFeed {
    const open = feeds.get(app) ?? { feed: openAppFeed(bus, app, log, maxBytes), readers: 0 }
    feeds.set(app, open)
    if (open.readers >= maxReaders) throw new ApiError('TOO_MANY_REQUESTS', 'too many concurrent readers of events')
    open.readers++
    clearTimeout(open.closing)
    return open
  }

  function leave(app: string, open: OpenFeed): void {
    if (--open.readers > 0) return
    open.closing = setTimeout(() => {
      feeds.delete(app)
      open.feed.stop()
    }, lingerMS)
    open.closing.unref()
  }

  return {
    async end() {
      const end = await endOf(bus)
      reached = end
      return end
    },
    async read(app, query, closed) {
      const open = enter(app)
      const reading = new AbortController()
      // Not AbortSignal.any: its result for a signal as long-lived as the process is never collected.
      const end = () => reading.abort()
      readings.add(end)
      closed.addEventListener('abort', end, { once: true })
      if (closed.aborted || stopping.signal.aborted) end()
      const { signal } = reading
      try {
        await opened(open.feed, signal)
        const isAhead = !reaches(later(open.feed.head, reached), query.after)
        const after = isAhead ? await findPosition({ db, bus }, query.after) : query.after
        if (isAhead) reached = later(reached, after)
        if (!reaches(after, open.feed.head)) lagMS = Math.max(lagMS, clock.now() - after.timeMS)
        const readOlder = (from: Omit<FeedQuery, 'waitMS'>) => behind({ app }, () => readOld({ db, bus }, app, from))
        return await readFeed(open.feed, { ...query, after }, signal, readOlder)
      } finally {
        readings.delete(end)
        closed.removeEventListener('abort', end)
        leave(app, open)
      }
    },
    stop() {
      stopping.abort()
      for (const end of readings) end()
      for (const { feed, closing } of feeds.values()) {
        clearTimeout(closing)
        feed.stop()
      }
      feeds.clear()
    },
    get isStopped() {
      return stopping.signal.aborted
    },
    get readers() {
      return readings.size
    },
    takeLagMS() {
      const taken = lagMS
      lagMS = 0
      return taken
    },
  }
}

async function opened({ ready }: AppFeed, signal: AbortSignal): Promise<void> {
  const given = new AbortController()
  const late = pause(openWithinMS, 'late', { signal: AbortSignal.any([signal, given.signal]) }).catch(() => 'late')
  const outcome = await Promise.race([ready, late])
  given.abort()
  if (outcome === 'late') throw new ApiError('SERVICE_UNAVAILABLE', 'the bus is away')
}

/** @throws ApiError INVALID_QUERY naming an event that the feed lacks */
export function parseTypes(types: string | undefined): ReadonlySet<string> | undefined {
  if (types === undefined || types === '') return undefined
  const names = types.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !Object.hasOwn(feedEvents, name))
  if (unknown !== undefined) throw new ApiError('INVALID_QUERY', `types: no event is called ${JSON.stringify(unknown)}`)
  return new Set(names)
}
