import type { FindCursor, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key } from '../keys.ts'
import type { MessageDoc, SearchConditions, SearchHit, SearchTextDoc } from './documents.ts'
import { appSearchIndexes } from './search-app.ts'

export const searchTextIndexes: IndexDescription[] = [
  { key: { roomKey: 1, words: 1, createdAtMS: -1 } },
  ...appSearchIndexes,
]

/** The seq up to which each room is indexed; rooms without progress are omitted. */
export async function findSearchProgress(
  db: Db,
  rooms: readonly string[],
  session?: Session,
): Promise<Map<string, number>> {
  const found = await db.searchProgress.find({ _id: { $in: [...rooms] } }, { ...(session && { session }) }).toArray()
  return new Map(found.map(({ _id, seq }) => [_id, seq]))
}

/** Indexes messages and records the room's progress. Messages that a later change has already indexed are skipped. */
export async function insertSearchTexts(
  db: Db,
  room: string,
  texts: readonly SearchTextDoc[],
  upToSeq: number,
  session: Session,
): Promise<void> {
  const ids = idsOf(texts)
  const existing = await db.searchTexts.find({ _id: { $in: ids } }, { session, projection: { _id: 1 } }).toArray()
  const known = new Set(idsOf(existing))
  const missing = texts.filter(({ _id }) => !known.has(_id))
  if (missing.length > 0) await db.searchTexts.insertMany([...missing], { session })
  await setSearchProgress(db, room, upToSeq, session)
}

export async function setSearchProgress(db: Db, room: string, seq: number, session: Session): Promise<void> {
  await db.searchProgress.updateOne({ _id: room }, { $max: { seq } }, { upsert: true, session })
}

/** Sets the words of changed messages. Call in the transaction of the change. */
export async function setSearchWords(
  db: Db,
  messages: readonly MessageDoc[],
  words: string[],
  session: Session,
): Promise<void> {
  const updates = messages.map(({ _id, app, room, threadOf, seq, sender, messageType, createdAtMS }) => {
    const where = { app, roomKey: key(app, room), seq, ...(threadOf !== undefined && { threadOf }) }
    const text = { ...where, sender, messageType, createdAtMS, words }
    return { updateOne: { filter: { _id }, update: { $set: text }, upsert: true } }
  })
  if (updates.length > 0) await db.searchTexts.bulkWrite(updates, { session, ordered: false })
}

/** Removes the words of a room's messages up to a seq, and of its threads' messages up to a time. */
export async function deleteSearchTexts(db: Db, roomKey: string, upToSeq: number, upToMS: number): Promise<void> {
  await db.searchTexts.deleteMany({ roomKey, seq: { $lte: upToSeq }, threadOf: { $exists: false } })
  await db.searchTexts.deleteMany({ roomKey, createdAtMS: { $lte: upToMS }, threadOf: { $exists: true } })
}

/** The messages of rooms with words that match all conditions, latest first. */
export function searchTextsWith(db: Db, rooms: readonly string[], conditions: SearchConditions): FindCursor<SearchHit> {
  return db.searchTexts
    .find({ roomKey: { $in: [...rooms] }, words: { $all: [...conditions] } })
    .sort({ createdAtMS: -1 })
    .project<SearchHit>({ roomKey: 1, seq: 1, createdAtMS: 1, threadOf: 1 })
}
