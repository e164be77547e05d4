import { defined } from '@parley/contracts/defined'
import type { Document, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import type { SearchConditions, SearchHit } from './documents.ts'
import { type HistorySearch, searchHistories, searchHistory } from './search-histories.ts'
import { type SearchPosition, type SearchReading, searchPages } from './search-pages.ts'

const byWords = { app: 1, words: 1, createdAtMS: -1 } as const
const bySender = { app: 1, sender: 1, createdAtMS: -1 } as const
const byWordsInRoom = { roomKey: 1, words: 1, createdAtMS: -1 } as const

/** For searches of a whole app. Message IDs are left out, since they would multiply the index size. */
export const appSearchIndexes: IndexDescription[] = [{ key: byWords }, { key: bySender }]

export interface AppSearch extends HistorySearch {
  conditions: SearchConditions
  roomKey: string | undefined
}

/** Whether a search reads the index of words, instead of the histories of the room or of all rooms. */
export function readsWordIndex({ conditions, roomKey, sender }: AppSearch): boolean {
  return conditions.length > 0 || (roomKey === undefined && sender !== undefined)
}

/** Yields the search results after a cursor in batches, latest first. @throws QueryTooSlow after `untilMS` */
export function searchApp(
  db: Db,
  search: AppSearch,
  from: SearchPosition | undefined,
  reading: SearchReading,
): AsyncGenerator<SearchHit[]> {
  const { app, conditions, roomKey, sender, messageType, afterTimeMS, beforeTimeMS } = search
  const time = defined({ $gt: afterTimeMS, $lt: beforeTimeMS, $lte: from?.atMS })
  const filter: Document = {
    ...defined({ sender, messageType }),
    ...(Object.keys(time).length > 0 && { createdAtMS: time }),
  }
  const passed = from?.passed ?? 0
  const fields = { roomKey: 1, seq: 1, createdAtMS: 1, threadOf: 1 }
  if (!readsWordIndex(search)) {
    return roomKey === undefined
      ? searchHistories(db, search, from, reading)
      : searchHistory(db, { ...search, roomKey }, from, reading)
  }
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
