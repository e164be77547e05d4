import type { Document, FindCursor, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import type { SearchConditions, SearchHit } from './documents.ts'

const byWords = { app: 1, words: 1, createdAtMS: -1 } as const
const bySender = { app: 1, sender: 1, createdAtMS: -1 } as const
const byWordsInRoom = { roomKey: 1, words: 1, createdAtMS: -1 } as const
const inRoom = { roomKey: 1, createdAtMS: -1, _id: -1 } as const

/** For searches of a whole app: without message IDs, which would make them several times as large. */
export const appSearchIndexes: IndexDescription[] = [{ key: byWords }, { key: bySender }]

/** Messages of an app; all filters hold. One of `conditions`, `roomKey` and `sender` is given. */
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

/** The end of a page: a time, and how many messages of this time were passed. Later entries of the same time follow those. */
export interface SearchPlace {
  atMS: number
  passed: number
}

/** The query of a search, latest first from a place on: it reads one index in the order of the answer. */
export function searchApp(db: Db, search: AppSearch, from: SearchPlace | undefined): FindCursor<SearchHit> {
  const { app, conditions, roomKey, sender, messageType, afterTimeMS, beforeTimeMS } = search
  const time = {
    ...(afterTimeMS !== undefined && { $gt: afterTimeMS }),
    ...(beforeTimeMS !== undefined && { $lt: beforeTimeMS }),
    ...(from && { $lte: from.atMS }),
  }
  const filter: Document = {
    ...(sender !== undefined && { sender }),
    ...(messageType !== undefined && { messageType }),
    ...(Object.keys(time).length > 0 && { createdAtMS: time }),
  }
  const passed = from?.passed ?? 0
  const fields = { roomKey: 1, seq: 1, createdAtMS: 1, threadOf: 1 }
  if (conditions.length === 0 && roomKey !== undefined) {
    const live = { isDeleted: { $exists: false }, recalled: { $exists: false } } as const
    return db.messages
      .find({ ...filter, roomKey, ...live })
      .hint(inRoom)
      .sort({ createdAtMS: -1, _id: -1 })
      .skip(passed)
      .project<SearchHit>(fields)
  }
  const [words, index] =
    conditions.length === 0
      ? [{ $ne: [] }, bySender]
      : [{ $all: [...conditions] }, roomKey === undefined ? byWords : byWordsInRoom]
  return db.searchTexts
    .find({ ...filter, words, ...(roomKey === undefined ? { app } : { roomKey }) })
    .hint(index)
    .sort({ createdAtMS: -1 })
    .skip(passed)
    .project<SearchHit>(fields)
}
