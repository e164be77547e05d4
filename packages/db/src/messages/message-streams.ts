import type { IndexDescription } from 'mongodb'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'

/** A piece of a streamed text, and where it begins. */
export interface StreamedPart {
  at: number
  text: string
}

/** A message that a robot is writing piece by piece. */
export interface MessageStreamDoc {
  /** key(app, message) */
  _id: string
  app: string
  message: string
  room: string
  sender: string
  /** Whether it is pushed at its end. */
  push: boolean
  parts: StreamedPart[]
  /** When it ends by itself, if no piece comes. */
  closeAtMS: number
}

export const messageStreamIndexes: IndexDescription[] = [{ key: { closeAtMS: 1 } }]

export async function insertStream(db: Db, stream: Omit<MessageStreamDoc, '_id'>): Promise<void> {
  const _id = key(stream.app, stream.message)
  await db.messageStreams.updateOne({ _id }, { $setOnInsert: stream }, { upsert: true })
}

export async function findStream(db: Db, app: string, message: string): Promise<MessageStreamDoc | null> {
  return db.messageStreams.findOne({ _id: key(app, message) })
}

/** Those that have been silent for too long. */
export async function findSilentStreams(db: Db, nowMS: number, limit: number): Promise<MessageStreamDoc[]> {
  return db.messageStreams
    .find({ closeAtMS: { $lte: nowMS } })
    .sort({ closeAtMS: 1 })
    .limit(limit)
    .toArray()
}

/**
 * Adds pieces to a stream, and writes what there is so far into its message, as long as that is being streamed: not when it
 * was recalled, edited or deleted meanwhile. A shorter text never replaces a longer one.
 */
export async function addParts(
  db: Db,
  { app, message }: Pick<MessageStreamDoc, 'app' | 'message'>,
  { parts, closeAtMS, show }: { parts: StreamedPart[]; closeAtMS: number; show: (stream: MessageStreamDoc) => string },
): Promise<void> {
  const update = { $push: { parts: { $each: parts } }, $max: { closeAtMS } }
  const stream = await db.messageStreams.findOneAndUpdate({ _id: key(app, message) }, update, {
    returnDocument: 'after',
  })
  if (!stream) return
  const streamed = textOfParts(stream.parts).length
  const isLonger = { $not: { $gte: streamed } }
  await db.messages.updateOne(
    { _id: message, streaming: true, streamed: isLonger },
    { $set: { content: show(stream), streamed } },
  )
}

export async function deleteStream(db: Db, { app, message }: Pick<MessageStreamDoc, 'app' | 'message'>): Promise<void> {
  await db.messageStreams.deleteOne({ _id: key(app, message) })
}

/** The text of the pieces up to the first that is missing. */
export function textOfParts(parts: readonly StreamedPart[]): string {
  let text = ''
  for (const part of parts.toSorted((a, b) => a.at - b.at)) {
    if (part.at > text.length) break
    text += part.text.slice(text.length - part.at)
  }
  return text
}
