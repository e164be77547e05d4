import type { ClientSession, FindCursor, IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import type { MessageDoc } from './messages.ts'

/** The words of a message's text, apart from the message: so that sending does not pay for the index over them. */
export interface SearchTextDoc {
  /** ID of the message. */
  _id: string
  roomKey: string
  seq: number
  createdAtMS: number
  words: string[]
}

/** How far the messages of a room are in searchTexts. */
export interface SearchProgressDoc {
  /** roomKey */
  _id: string
  seq: number
}

export const searchTextIndexes: IndexDescription[] = [{ key: { roomKey: 1, words: 1, createdAtMS: -1 } }]

/** How far each of these rooms is indexed; a room that is not named is not begun. */
export async function findSearchProgress(
  db: Db,
  rooms: readonly string[],
  session?: ClientSession,
): Promise<Map<string, number>> {
  const found = await db.searchProgress.find({ _id: { $in: [...rooms] } }, { ...(session && { session }) }).toArray()
  return new Map(found.map(({ _id, seq }) => [_id, seq]))
}

/** Adds messages that come after the room's progress, leaving those that a later change has put there already. */
export async function insertSearchTexts(
  db: Db,
  room: string,
  texts: readonly SearchTextDoc[],
  upToSeq: number,
  session: ClientSession,
): Promise<void> {
  const ids = texts.map(({ _id }) => _id)
  const there = await db.searchTexts.find({ _id: { $in: ids } }, { session, projection: { _id: 1 } }).toArray()
  const known = new Set(there.map(({ _id }) => _id))
  const missing = texts.filter(({ _id }) => !known.has(_id))
  if (missing.length > 0) await db.searchTexts.insertMany([...missing], { session })
  await setSearchProgress(db, room, upToSeq, session)
}

export async function setSearchProgress(db: Db, room: string, seq: number, session: ClientSession): Promise<void> {
  await db.searchProgress.updateOne({ _id: room }, { $max: { seq } }, { upsert: true, session })
}

/** Sets the words of a message whose content changes, inside the transaction that changes it. */
export async function setSearchWords(
  db: Db,
  { _id, roomKey, seq, createdAtMS }: MessageDoc,
  words: string[],
  session: ClientSession,
): Promise<void> {
  await db.searchTexts.updateOne({ _id }, { $set: { roomKey, seq, createdAtMS, words } }, { upsert: true, session })
}

/** Removes the words of all messages of a room up to a seq. */
export async function deleteSearchTexts(db: Db, roomKey: string, upToSeq: number): Promise<void> {
  await db.searchTexts.deleteMany({ roomKey, seq: { $lte: upToSeq } })
}

/** The messages of the rooms that hold all the words, latest first; reads one index in the order of the answer. */
export function searchTextsWith(
  db: Db,
  rooms: readonly string[],
  words: readonly string[],
): FindCursor<Pick<SearchTextDoc, '_id'>> {
  return db.searchTexts
    .find({ roomKey: { $in: [...rooms] }, words: { $all: [...words] } })
    .sort({ createdAtMS: -1 })
    .project<Pick<SearchTextDoc, '_id'>>({ _id: 1 })
}
