import type { Document, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { MessageStreamDoc, StreamedPart } from './documents.ts'

type StreamName = Pick<MessageStreamDoc, 'app' | 'message'>

export const messageStreamIndexes: IndexDescription[] = [{ key: { closeAtMS: 1 } }]

export async function insertStream(db: Db, stream: Omit<MessageStreamDoc, '_id'>): Promise<void> {
  const _id = key(stream.app, stream.message)
  await db.messageStreams.updateOne({ _id }, { $setOnInsert: stream }, { upsert: true })
}

export async function findStream(db: Db, app: string, message: string): Promise<MessageStreamDoc | null> {
  return db.messageStreams.findOne({ _id: key(app, message) })
}

/** Like findStream, without the pieces, which can be many. */
export async function findStreamAlone(
  db: Db,
  app: string,
  message: string,
): Promise<Omit<MessageStreamDoc, 'parts'> | null> {
  return db.messageStreams.findOne({ _id: key(app, message) }, { projection: { parts: 0 } })
}

export async function findSilentStreams(db: Db, nowMS: number, limit: number): Promise<MessageStreamDoc[]> {
  return db.messageStreams
    .find({ closeAtMS: { $lte: nowMS } })
    .sort({ closeAtMS: 1 })
    .limit(limit)
    .toArray()
}

/**
 * Adds a piece to a stream, by default after the last piece of any process. Replaces pieces that it covers fully. An
 * empty piece only keeps the stream alive.
 * @param maxEnd upper bound of the end of a piece without `at`; the caller must check pieces with `at`
 * @returns the piece's offset; undefined if the stream has ended, or the piece would end after `maxEnd`
 */
export async function addPart(
  db: Db,
  { app, message }: StreamName,
  { at, text, closeAtMS, maxEnd }: { at?: number | undefined; text: string; closeAtMS: number; maxEnd: number },
): Promise<number | undefined> {
  const begins = at ?? '$end'
  const later = { closeAtMS: { $max: ['$closeAtMS', closeAtMS] } }
  const kept = text.isWellFormed() ? { text } : { text: JSON.stringify(text), isJson: true }
  const part = { at: begins, ...kept, text: { $literal: kept.text }, length: text.length }
  const added = {
    parts: { $concatArrays: [notCovered(at, text), [part]] },
    end: { $max: ['$end', { $add: [begins, text.length] }] },
  }
  const changed = text === '' ? later : { ...added, ...later }
  const fits = at === undefined && { end: { $lte: maxEnd - text.length } }
  const filter = { _id: key(app, message), ended: { $exists: false }, ...fits }
  const options = { returnDocument: 'before', projection: { end: 1 } } as const
  const before = await db.messageStreams.findOneAndUpdate(filter, [{ $set: changed }], options)
  return before ? (at ?? before.end) : undefined
}

/** The pieces that a new piece does not cover: all, if it is appended. */
function notCovered(at: number | undefined, text: string): Document | string {
  if (at === undefined) return '$parts'
  const ends = { $add: ['$$part.at', '$$part.length'] }
  const sticksOut = { $or: [{ $lt: ['$$part.at', at] }, { $gt: [ends, at + text.length] }] }
  return { $filter: { input: '$parts', as: 'part', cond: sticksOut } }
}

/** Closes the stream to further pieces, and returns its pieces. */
export async function endParts(db: Db, { app, message }: StreamName): Promise<StreamedPart[]> {
  const ended = await db.messageStreams.findOneAndUpdate({ _id: key(app, message) }, { $set: { ended: true } })
  return ended?.parts ?? []
}

/** Writes the text so far into a message that is still streaming. A shorter text never replaces a longer one. */
export async function showStreamed(
  db: Db,
  message: string,
  { content, streamed }: { content: string; streamed: number },
): Promise<void> {
  const isLonger = { $not: { $gte: streamed } }
  await db.messages.updateOne({ _id: message, streaming: true, streamed: isLonger }, { $set: { content, streamed } })
}

export async function deleteStream(db: Db, { app, message }: StreamName): Promise<void> {
  await db.messageStreams.deleteOne({ _id: key(app, message) })
}

/** The text of the pieces up to the first gap. */
export function textOfParts(parts: readonly StreamedPart[]): string {
  let text = ''
  for (const part of parts.toSorted((a, b) => a.at - b.at)) {
    if (part.at > text.length) break
    const own = part.isJson ? (JSON.parse(part.text) as string) : part.text
    text += own.slice(text.length - part.at)
  }
  return text
}
