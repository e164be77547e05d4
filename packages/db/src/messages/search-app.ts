import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { Document, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { readBoth } from '../message-buckets/find-messages.ts'
import { QueryTooSlow } from '../server-errors.ts'
import type { MessageDoc, SearchConditions, SearchHit } from './documents.ts'
import { historyStages, readHistory } from './history.ts'
import { mostAtOneTime } from './messages.ts'
import type { PageStart } from './page-start.ts'
import { searchPages } from './search-pages.ts'

const byWords = { app: 1, words: 1, createdAtMS: -1 } as const
const bySender = { app: 1, sender: 1, createdAtMS: -1 } as const
const byWordsInRoom = { roomKey: 1, words: 1, createdAtMS: -1 } as const

/** For searches of a whole app. Message IDs are left out, since they would multiply the index size. */
export const appSearchIndexes: IndexDescription[] = [{ key: byWords }, { key: bySender }]

/**
 * A search of an app's messages: all filters must match. At least one of `conditions`, `roomKey` and `sender` is set.
 */
export interface AppSearch {
  app: string
  conditions: SearchConditions
  roomKey: string | undefined
  sender: string | undefined
  messageType: string | undefined
  /** Exclusive. */
  afterTimeMS: number | undefined
  /** Exclusive. */
  beforeTimeMS: number | undefined
}

/** A cursor: a time, and how many messages of this time earlier pages had. */
export interface SearchPlace {
  atMS: number
  passed: number
}

/** The batch size and deadline of a search. */
interface Reading {
  atOnce: number
  untilMS: number
}

/**
 * Yields the search results after a cursor in batches, latest first. Reads one index in result order.
 * @throws QueryTooSlow after `untilMS`
 */
export function searchApp(
  db: Db,
  search: AppSearch,
  from: SearchPlace | undefined,
  reading: Reading,
): AsyncGenerator<SearchHit[]> {
  const { app, conditions, roomKey, sender, messageType, afterTimeMS, beforeTimeMS } = search
  const time = defined({ $gt: afterTimeMS, $lt: beforeTimeMS, $lte: from?.atMS })
  const filter: Document = {
    ...defined({ sender, messageType }),
    ...(Object.keys(time).length > 0 && { createdAtMS: time }),
  }
  const passed = from?.passed ?? 0
  const fields = { roomKey: 1, seq: 1, createdAtMS: 1, threadOf: 1 }
  if (conditions.length === 0 && roomKey !== undefined) return searchRoom(db, { ...search, roomKey }, from, reading)
  const [words, index] =
    conditions.length === 0
      ? [{ $ne: [] }, bySender]
      : [{ $all: [...conditions] }, roomKey === undefined ? byWords : byWordsInRoom]
  const query = db.searchTexts
    .find({ ...filter, words, ...(roomKey === undefined ? { app } : { roomKey }) })
    .hint(index)
    .sort({ createdAtMS: -1 })
    .skip(passed)
    .project<SearchHit>(fields)
  return searchPages(query, reading)
}

/** Searches a room without conditions by reading its history, instead of the index. */
async function* searchRoom(
  db: Db,
  { roomKey, sender, messageType, afterTimeMS = 0, beforeTimeMS }: AppSearch & { roomKey: string },
  from: SearchPlace | undefined,
  { atOnce, untilMS }: Reading,
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
    const most = atOnce + Math.min(toPass, mostAtOneTime)
    const read = await readLatest(db, roomKey, start, most)
    const found = read.filter(isFound)
    const passed = Math.min(toPass, found.length)
    toPass -= passed
    yield found.slice(passed).map(toHit)
    const last = read.at(-1)
    if (!last || read.length < most) return
    start = { ...start, timeMS: last.createdAtMS, id: last._id }
  }
}

/** The start of a page between two times, both exclusive. */
function beforeTime(timeMS: number, afterMS: number): PageStart & { from: 'before' } {
  return { from: 'before', timeMS, id: '', bound: { timeMS: afterMS, id: lastOfTime } }
}

/** Greater than any message ID. */
const lastOfTime = '\uffff'

async function readLatest(db: Db, roomKey: string, start: PageStart, most: number): Promise<MessageDoc[]> {
  const stages = historyStages(roomKey, start, 'createdAtMS', most)
  const found = await readBoth(db, stages.buckets, stages.apart)
  const all = { roomKey, buffer: [], clockMS: Number.MAX_SAFE_INTEGER, seq: Number.MAX_SAFE_INTEGER }
  const size = { limit: most - 1, maxBytes: Number.MAX_SAFE_INTEGER }
  return readHistory(db, all, start, 'createdAtMS', size, { ...found, most })
}

function toHit({ _id, roomKey, seq, createdAtMS, threadOf }: MessageDoc): SearchHit {
  return { _id, roomKey, seq, createdAtMS, ...(threadOf !== undefined && { threadOf }) }
}
