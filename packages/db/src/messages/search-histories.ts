import { clock } from '@parley/async/clock'
import type { Db } from '../db.ts'
import { readBoth } from '../message-buckets/find-messages.ts'
import { minuteMS, minuteOf } from '../minutes.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { QueryTooSlow } from '../server-errors.ts'
import type { MessageDoc, SearchHit } from './documents.ts'
import { historyStages, readHistory } from './history.ts'
import { maxAtOneTime } from './messages.ts'
import type { PageStart } from './page-start.ts'
import { type SearchPosition, type SearchReading, searchPages } from './search-pages.ts'

export interface HistorySearch {
  app: string
  sender: string | undefined
  messageType: string | undefined
  /** Exclusive. */
  afterTimeMS: number | undefined
  /** Exclusive. */
  beforeTimeMS: number | undefined
}

/** Rooms and messages of each that a search of all histories reads at once. */
const roomsAtOnce = 16
const perRoom = 8

/** A room's history from its next message on. */
interface OpenHistory {
  roomKey: string
  next: SearchHit
  rest: AsyncGenerator<SearchHit>
}

/**
 * Yields an app's messages without those of threads, latest first, by merging the histories of its rooms. A history is
 * opened once the merge reaches the time of its last message, so recent messages need few rooms.
 */
export async function* searchHistories(
  db: Db,
  search: HistorySearch,
  from: SearchPosition | undefined,
  { atOnce, untilMS }: SearchReading,
): AsyncGenerator<SearchHit[]> {
  const start = from && { atMS: from.atMS, passed: 0 }
  const rooms = roomsByLastMessage(db, search, untilMS)
  const open: OpenHistory[] = []
  const openNext = async () => {
    const next = await rooms.next()
    if (next.done) return undefined
    const opened = next.value.map(async ({ _id: roomKey }) => {
      const rest = flat(searchHistory(db, { ...search, roomKey }, start, { atOnce: perRoom, untilMS }))
      const first = await rest.next()
      return first.done ? undefined : { roomKey, next: first.value, rest }
    })
    for (const history of await Promise.all(opened)) if (history) insert(open, history)
    return next.value.at(-1)?.lastMinute
  }
  try {
    let unopenedMinute: number | undefined = Number.MAX_SAFE_INTEGER
    let toPass = from?.passed ?? 0
    let batch: SearchHit[] = []
    for (;;) {
      while (unopenedMinute !== undefined && (open.at(-1)?.next.createdAtMS ?? 0) < (unopenedMinute + 1) * minuteMS) {
        unopenedMinute = await openNext()
      }
      const latest = open.pop()
      if (!latest) break
      const isPassed = latest.next.createdAtMS === from?.atMS && toPass-- > 0
      if (!isPassed) batch.push(latest.next)
      const following = await latest.rest.next()
      if (!following.done) insert(open, { ...latest, next: following.value })
      if (batch.length < atOnce) continue
      yield batch
      batch = []
    }
    yield batch
  } finally {
    await rooms.return(undefined)
  }
}

/** Keeps histories sorted, with the latest next message last. Messages of the same time are sorted by room. */
function insert(open: OpenHistory[], history: OpenHistory): void {
  let [low, high] = [0, open.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(open[middle], history)) low = middle + 1
    else high = middle
  }
  open.splice(low, 0, history)
}

function isBefore(one: OpenHistory | undefined, other: OpenHistory): boolean {
  if (!one) return false
  const [a, b] = [one.next.createdAtMS, other.next.createdAtMS]
  return a < b || (a === b && one.roomKey < other.roomKey)
}

type ListedRoom = Pick<RoomDoc, '_id' | 'lastMinute'>

/** The app's rooms with messages in batches, those with the latest last message first. */
function roomsByLastMessage(
  db: Db,
  { app, afterTimeMS = 0 }: HistorySearch,
  untilMS: number,
): AsyncGenerator<ListedRoom[]> {
  const active = { app, lastMinute: { $gte: Math.max(1, minuteOf(afterTimeMS)) }, deletedAt: { $exists: false } }
  const query = db.rooms
    .find(active)
    .project<ListedRoom>({ lastMinute: 1 })
    .sort({ lastMinute: -1, _id: -1 })
    .hint({ app: 1, lastMinute: 1, _id: 1 })
  return searchPages(query, { atOnce: roomsAtOnce, untilMS })
}

async function* flat<T>(batches: AsyncGenerator<T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch
}

/** Yields a room's messages without those of threads, latest first, from its history instead of the index. */
export async function* searchHistory(
  db: Db,
  { roomKey, sender, messageType, afterTimeMS = 0, beforeTimeMS }: HistorySearch & { roomKey: string },
  from: SearchPosition | undefined,
  { atOnce, untilMS }: SearchReading,
): AsyncGenerator<SearchHit[]> {
  const isFound = (message: MessageDoc) =>
    !message.isDeleted &&
    !message.recalled &&
    (sender === undefined || message.sender === sender) &&
    (messageType === undefined || message.messageType === messageType)
  const lastMS = Math.min(from?.atMS ?? Number.MAX_SAFE_INTEGER - 1, (beforeTimeMS ?? Number.MAX_SAFE_INTEGER) - 1)
  let toPass = lastMS === from?.atMS ? from.passed : 0
  for (let start = beforeTime(lastMS + 1, afterTimeMS); ; ) {
    if (clock.now() > untilMS) throw new QueryTooSlow('the search took too long')
    const max = atOnce + Math.min(toPass, maxAtOneTime)
    const read = await readLatest(db, roomKey, start, max)
    const found = read.filter(isFound)
    const passed = Math.min(toPass, found.length)
    toPass -= passed
    yield found.slice(passed).map(toHit)
    const last = read.at(-1)
    if (!last || read.length < max) return
    start = { ...start, timeMS: last.createdAtMS, id: last._id }
  }
}

/** The start of a page between two times, both exclusive. */
function beforeTime(timeMS: number, afterMS: number): PageStart & { from: 'before' } {
  return { from: 'before', timeMS, id: '', bound: { timeMS: afterMS, id: lastOfTime } }
}

/** Greater than any message ID. */
const lastOfTime = '\uffff'

async function readLatest(db: Db, roomKey: string, start: PageStart, max: number): Promise<MessageDoc[]> {
  const stages = historyStages(roomKey, start, 'createdAtMS', max)
  const found = await readBoth(db, stages.buckets, stages.apart)
  const all = { roomKey, buffer: [], clockMS: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER }
  const size = { limit: max - 1, maxBytes: Number.MAX_SAFE_INTEGER }
  return readHistory(db, all, start, 'createdAtMS', size, { ...found, max })
}

function toHit({ _id, roomKey, seq, createdAtMS, threadOf }: MessageDoc): SearchHit {
  return { _id, roomKey, seq, createdAtMS, ...(threadOf !== undefined && { threadOf }) }
}
