import { type IndexDescription, MongoBulkWriteError } from 'mongodb'
import type { Db } from '../connect.ts'
import { deletePublished, type NotedEvent, type PendingEventsDoc } from './pending-events.ts'

/**
 * A note of events that the bus has: kept for a while, since the bus may lose its log. New messages need none, for they
 * are found by the time in their IDs.
 */
export interface PublishedEventsDoc {
  _id: string
  /** When it was noted. */
  atMS: number
  /** When the bus had them all. */
  at: Date
  events: NotedEvent[]
}

const duplicateKey = 11_000
/** As long as the stream keeps events by default (PARLEY_STREAM_MAX_AGE_HOURS), and so as long as a consumer may be behind. */
const keepSeconds = 72 * 60 * 60

export const publishedEventIndexes: IndexDescription[] = [{ key: { at: 1 }, expireAfterSeconds: keepSeconds }]

/** Keeps published notes for a while in another collection. */
export async function keepPublished(
  db: Db,
  notes: readonly Pick<PendingEventsDoc, '_id' | 'atMS' | 'events'>[],
): Promise<void> {
  const at = new Date()
  // An order moves sockets at the moment; nodes that were cut off read the database instead.
  const kept = notes
    .map(({ _id, atMS, events }) => ({ _id, atMS, at, events: events.filter(({ kind }) => kind !== 'order') }))
    .filter(({ events }) => events.length > 0)
  if (kept.length > 0) await insertKept(db, kept)
  await deletePublished(
    db,
    notes.map(({ _id }) => _id),
  )
}

async function insertKept(db: Db, kept: PublishedEventsDoc[]): Promise<void> {
  try {
    await db.publishedEvents.insertMany(kept, { ordered: false, writeConcern: { w: 'majority', j: true } })
  } catch (error) {
    // Another process has published it too.
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) throw error
  }
}

/** The notes that were published in a stretch of time, the end excluded, in order. */
export async function findPublished(db: Db, fromMS: number, toMS: number): Promise<PublishedEventsDoc[]> {
  return db.publishedEvents
    .find({ at: { $gte: new Date(fromMS), $lt: new Date(toMS) } })
    .sort({ at: 1, _id: 1 })
    .toArray()
}
