import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { readPart, type StoredMessage, streamBounds } from '@parley/bus/stream/app-events'
import { learnStreams } from '@parley/bus/stream/stream-info'
import { streamName } from '@parley/contracts/bus/streams'
import { anyEventSubject, anyMembersChangeSubject, appEventsSubjects } from '@parley/contracts/bus/subjects'
import { ApiError } from '@parley/contracts/errors'
import { feedOnlyEvents } from '@parley/contracts/resources/feed-event'
import type { Db } from '@parley/db/connect'
import { findStreamState, onTheWayMS } from '@parley/db/events/stream-state'
import { busAway } from '../api-error-of.ts'
import type { AppFeed } from './app-feed.ts'
import { cursorGone, type FeedPosition, later, movedTo, reaches } from './cursor.ts'
import { type FeedEntry, readEntry } from './feed-entry.ts'

const maxBytesOfPage = 1024 * 1024

export interface FeedQuery {
  after: FeedPosition
  limit: number
  /** Undefined means all types. */
  types: ReadonlySet<string> | undefined
  waitMS: number
}

export interface FeedPage {
  entries: readonly FeedEntry[]
  position: FeedPosition
}

/** A page read from the streams. Its entries may be empty before the last page. */
interface OldPage extends FeedPage {
  isLast: boolean
}

export interface Parts {
  db: Db
  bus: Bus
}

/** Reads events from memory, or with `readOlder` if they are older. Waits if there are none. */
export async function readFeed(
  feed: AppFeed,
  { after, limit, types, waitMS }: FeedQuery,
  signal: AbortSignal,
  readOlder: (query: Omit<FeedQuery, 'waitMS'>) => Promise<OldPage>,
): Promise<FeedPage> {
  const deadlineMS = performance.now() + waitMS
  let position = after
  for (;;) {
    // Taken before the read: events evicted meanwhile are read afterwards.
    const { from } = feed
    if (!reaches(position, from)) {
      const page = await readOlder({ after: position, limit, types })
      if (page.entries.length > 0) return page
      position = page.isLast ? later(page.position, from) : page.position
      continue
    }
    const entries = firstPage(feed.after(position), limit, types)
    const last = entries.at(-1)
    if (last) return { entries, position: later(position, last) }
    position = later(position, feed.head)
    const leftMS = deadlineMS - performance.now()
    if (leftMS <= 0 || signal.aborted) return { entries, position }
    await feed.changed(leftMS, signal)
  }
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
    if (page.length > 0 && bytes > maxBytesOfPage) break
    page.push(entry)
    if (page.length === limit) break
  }
  return page
}

export async function readOld(
  { db, bus }: Parts,
  app: string,
  { after, limit, types }: Omit<FeedQuery, 'waitMS'>,
): Promise<OldPage> {
  const subjects = subjectsOf(app, types)
  const end = await endOf(bus)
  const position = await findPosition({ db, bus }, after)
  const parts = await Promise.all(
    bus.streams.names.map(async (stream, index) => {
      const part = { stream, subjects, afterSeq: position.seqs[index] ?? 0, limit, maxBytes: maxBytesOfPage }
      return (await readPart(bus, part)).map((message) => Object.assign(message, { index }))
    }),
  ).catch(busAway)
  // Checks again, since the oldest events may have been dropped meanwhile.
  await findPosition({ db, bus }, position)
  const read = inOrderOfTime(parts, limit)
  // Streams without messages are read up to their end.
  const isEmpty = (index: number) => parts[index]?.length === 0
  const seqs = end.seqs.map((seq, index) => Math.max(position.seqs[index] ?? 0, isEmpty(index) ? seq : 0))
  let at = later(position, { seqs, timeMS: 0 })
  const entries: FeedEntry[] = []
  for (const message of read) {
    at = movedTo(at, { stream: message.index, seq: message.seq, timeMS: message.timeMS })
    const entry = readEntry(bus, message, at)
    if (entry) entries.push(entry)
  }
  const isLast = read.length === 0
  return { entries, position: isLast ? { seqs: at.seqs, timeMS: end.timeMS } : at, isLast }
}

type OfStream = StoredMessage & { index: number }

/** Merges the streams' messages in order of time, as far as each was read. */
function inOrderOfTime(parts: readonly (readonly OfStream[])[], limit: number): OfStream[] {
  const [only = []] = parts
  if (parts.length === 1) return [...only]
  const next = parts.map(() => 0)
  const bytesOf = (messages: readonly OfStream[]) => messages.reduce((sum, { data }) => sum + data.length, 0)
  const isCut = parts.map((part) => bytesOf(part) > maxBytesOfPage)
  const read: OfStream[] = []
  let bytes = 0
  while (read.length < limit && bytes <= maxBytesOfPage) {
    const heads = parts.flatMap((part, index) => part[next[index] ?? 0] ?? [])
    const isUnknown = parts.some((part, index) => isCut[index] && next[index] === part.length)
    const [head, ...others] = heads
    if (!head || isUnknown) break
    const first = others.reduce((one, other) => (other.takenAtMS < one.takenAtMS ? other : one), head)
    next[first.index] = (next[first.index] ?? 0) + 1
    bytes += first.data.length
    read.push(first)
  }
  return read
}

/** The end of the streams now. @throws ApiError SERVICE_UNAVAILABLE */
export async function endOf(bus: Bus): Promise<FeedPosition> {
  const timeMS = clock.now()
  const bounds = await boundsOf(bus, bus.streams.names)
  return { seqs: bounds.map(({ lastSeq }) => lastSeq), timeMS }
}

async function boundsOf(bus: Bus, names: readonly string[]) {
  return Promise.all(names.map((name) => streamBounds(bus, name))).catch(busAway)
}

/**
 * Maps a position to the bounds streams. A position in a lost stream maps to the first event since then, so some
 * events repeat.
 * @throws ApiError CURSOR_GONE if later events are gone, or the stream never reached the position; SERVICE_UNAVAILABLE
 * while a lost stream is being replaced
 */
export async function findPosition({ db, bus }: Parts, position: FeedPosition): Promise<FeedPosition> {
  if (position.seqs.length > bus.streams.names.length) await learnStreams(bus).catch(busAway)
  const bounds = await boundsOf(bus, bus.streams.names)
  // Events older than a stream that took over partitions are in the streams before it.
  const from = bounds.map(({ grownFromSeq }, index) => Math.max(position.seqs[index] ?? 0, grownFromSeq - 1))
  const isKept = bounds.every(({ firstSeq, lastSeq }, index) => isWithin(from[index] ?? 0, firstSeq, lastSeq))
  if (isKept) return { seqs: from, timeMS: position.timeMS }
  const seqs: number[] = []
  let oldestMS = 0
  for (const [index, seq] of from.entries()) {
    const found = await findPositionIn({ db, bus }, index, { seq, timeMS: position.timeMS })
    if (found.goneSinceMS !== undefined) oldestMS = Math.max(oldestMS, found.goneSinceMS)
    seqs.push(found.seq)
  }
  if (oldestMS > 0) throw cursorGone({ seqs, timeMS: oldestMS })
  return { seqs, timeMS: position.timeMS }
}

const isWithin = (seq: number, firstSeq: number, lastSeq: number) => seq + 1 >= firstSeq && seq <= lastSeq

/** The position in one stream. With `goneSinceMS`, the requested position is gone and this is the oldest one. */
async function findPositionIn(
  { db, bus }: Parts,
  index: number,
  { seq, timeMS }: { seq: number; timeMS: number },
): Promise<{ seq: number; goneSinceMS?: number }> {
  const state = await findStreamState(db, streamName(index))
  // Read after its state, since the stream may have advanced.
  const [bounds] = await boundsOf(bus, [streamName(index)])
  if (!bounds || (state && (state.created !== bounds.created || bounds.lastSeq < state.seq))) {
    throw new ApiError('SERVICE_UNAVAILABLE', 'the stream of events was lost and is being replaced: try again')
  }
  const { firstSeq, firstAtMS, lastSeq } = bounds
  if (isWithin(seq, firstSeq, lastSeq)) return { seq }
  const begins = state?.begins
  const isOfLost = begins && seq < begins.seq && firstSeq <= begins.seq && begins.seq <= lastSeq + 1
  if (isOfLost && timeMS > begins.sinceMS + onTheWayMS) return { seq: begins.seq - 1 }
  return { seq: firstSeq - 1, goneSinceMS: Math.max(1, firstAtMS) }
}

function subjectsOf(app: string, types: ReadonlySet<string> | undefined): string[] {
  if (!types) return appEventsSubjects(app)
  const own = [...types].map((event) =>
    anyEventSubject(Object.hasOwn(feedOnlyEvents, event) ? 'feed' : 'event', app, event),
  )
  // Member changes have a subject of their own, shared with webhooks.
  return types.has('members') ? [...own, anyMembersChangeSubject(app)] : own
}
