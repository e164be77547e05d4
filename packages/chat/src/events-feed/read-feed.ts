import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { readPart, streamBounds } from '@parley/bus/stream/app-events'
import { eventStream } from '@parley/contracts/bus/streams'
import { anyEventSubject, appEventsSubjects, membersChangeSubject } from '@parley/contracts/bus/subjects'
import { ApiError } from '@parley/contracts/errors'
import { feedOnlyEvents } from '@parley/contracts/resources/feed-event'
import type { Db } from '@parley/db/connect'
import { findStreamState } from '@parley/db/events/stream-state'
import type { AppFeed } from './app-feed.ts'
import { cursorGone, type FeedPosition } from './cursor.ts'
import { type FeedEntry, readEntry } from './feed-entry.ts'

const mostBytesOfPage = 1024 * 1024

/** A reader's query. */
export interface FeedQuery {
  after: FeedPosition
  limit: number
  /** Undefined: all. */
  types: ReadonlySet<string> | undefined
  waitMS: number
}

export interface FeedPage {
  entries: readonly FeedEntry[]
  /** The position to resume from. */
  place: FeedPosition
}

/** Possibly without events of the feed. */
interface OldPage extends FeedPage {
  /** Nothing was left to read. */
  isLast: boolean
}

export interface Parts {
  db: Db
  bus: Bus
}

/** Reads buffered events from memory, older ones with `readOlder`; without any it waits. */
export async function readFeed(
  feed: AppFeed,
  { after, limit, types, waitMS }: FeedQuery,
  signal: AbortSignal,
  readOlder: (query: Omit<FeedQuery, 'waitMS'>) => Promise<OldPage>,
): Promise<FeedPage> {
  const deadlineMS = performance.now() + waitMS
  let place = after
  for (;;) {
    // The head from before the read: events evicted meanwhile are read after it.
    const { from } = feed
    if (place.seq < from.seq) {
      const page = await readOlder({ after: place, limit, types })
      if (page.entries.length > 0) return page
      place = page.isLast ? later(page.place, from) : page.place
      continue
    }
    const entries = firstPage(feed.after(place.seq), limit, types)
    const last = entries.at(-1)
    if (last) return { entries, place: last }
    place = later(place, feed.head)
    const leftMS = deadlineMS - performance.now()
    if (leftMS <= 0 || signal.aborted) return { entries, place }
    await feed.changed(leftMS, signal)
  }
}

function later(one: FeedPosition, other: FeedPosition): FeedPosition {
  const isLater = other.seq > one.seq || (other.seq === one.seq && other.timeMS > one.timeMS)
  return isLater ? other : one
}

function firstPage(
  entries: readonly FeedEntry[],
  limit: number,
  types: ReadonlySet<string> | undefined,
): readonly FeedEntry[] {
  const page: FeedEntry[] = []
  let bytes = 0
  for (const entry of entries) {
    if (types && !types.has(entry.event)) continue
    bytes += entry.json.length
    if (page.length > 0 && bytes > mostBytesOfPage) break
    page.push(entry)
    if (page.length === limit) break
  }
  return page
}

/** A page of events that have left the memory. */
export async function readOld(
  { db, bus }: Parts,
  app: string,
  { after, limit, types }: Omit<FeedQuery, 'waitMS'>,
): Promise<OldPage> {
  const subjects = subjectsOf(app, types)
  const end = await endOf(bus)
  const place = await findPlace({ db, bus }, after)
  const part = { subjects, afterSeq: place.seq, limit, maxBytes: mostBytesOfPage }
  const messages = await readPart(bus, part).catch(whenAway)
  // The oldest can have gone meanwhile.
  await findPlace({ db, bus }, place)
  const entries = messages.flatMap((message) => readEntry(bus, message) ?? [])
  const { seq, timeMS } = messages.at(-1) ?? end
  return { entries, place: { seq, timeMS }, isLast: messages.length === 0 }
}

function whenAway(error: unknown): never {
  throw new ApiError('SERVICE_UNAVAILABLE', 'the bus is away: try again', { cause: error })
}

/** The end of the stream now. @throws ApiError SERVICE_UNAVAILABLE */
export async function endOf(bus: Bus): Promise<FeedPosition> {
  const timeMS = clock.now()
  return { seq: (await streamBounds(bus).catch(whenAway)).lastSeq, timeMS }
}

/** Longer than an event takes from its time of creation to the stream. */
const marginMS = 30_000

/**
 * The current position in the stream. A position in a lost stream maps to the beginning of the events since then; some are repeated.
 * @throws ApiError CURSOR_GONE if the stream lacks some later events, or never reached it; SERVICE_UNAVAILABLE while a lost
 *   stream is being replaced
 */
export async function findPlace({ db, bus }: Parts, place: FeedPosition): Promise<FeedPosition> {
  const there = await streamBounds(bus).catch(whenAway)
  if (place.seq + 1 >= there.firstSeq && place.seq <= there.lastSeq) return place
  const state = await findStreamState(db, eventStream.name)
  // Read again, after its state: the stream may have advanced.
  const { created, firstSeq, firstAtMS, lastSeq } = await streamBounds(bus).catch(whenAway)
  if (state && (state.created !== created || lastSeq < state.seq)) {
    throw new ApiError('SERVICE_UNAVAILABLE', 'the stream of events was lost and is being replaced: try again')
  }
  const begins = state?.begins
  const isOfLost = begins && place.seq < begins.seq && firstSeq <= begins.seq && begins.seq <= lastSeq + 1
  if (isOfLost && place.timeMS > begins.sinceMS + marginMS) return { seq: begins.seq - 1, timeMS: place.timeMS }
  throw cursorGone({ seq: firstSeq - 1, timeMS: firstAtMS })
}

function subjectsOf(app: string, types: ReadonlySet<string> | undefined): string[] {
  if (!types) return appEventsSubjects(app)
  const own = [...types].map((event) =>
    anyEventSubject(Object.hasOwn(feedOnlyEvents, event) ? 'feed' : 'event', app, event),
  )
  // Webhooks get these changes from a subject of their own.
  return types.has('members') ? [...own, membersChangeSubject(app)] : own
}
