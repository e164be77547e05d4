import { clock } from '@parley/async/clock'
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
  expiresAt: Date
  events: NotedEvent[]
}

const duplicateKey = 11_000
export const publishedEventIndexes: IndexDescription[] = [
  { key: { at: 1, _id: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
]

/** Keeps published notes for some hours in another collection. */
export async function keepPublished(
  db: Db,
  notes: readonly Pick<PendingEventsDoc, '_id' | 'atMS' | 'events'>[],
  hours: number,
): Promise<void> {
  const at = clock.date()
  const expiresAt = new Date(at.getTime() + hours * 3_600_000)
  // An order moves sockets at the moment; nodes that were cut off read the database instead.
  const kept = notes
    .map(({ _id, atMS, events }) => ({
      _id,
      atMS,
      at,
      expiresAt,
      events: events.filter(({ kind }) => kind !== 'order'),
    }))
    .filter(({ events }) => events.length > 0)
  if (kept.length > 0) await insertKept(db, kept)
  await deletePublished(
    db,
    notes.map(({ _id }) => _id),
  )
}

/** Not journaled: what a failover or a crash takes back of it, it takes back of the deletion after it too. */
async function insertKept(db: Db, kept: PublishedEventsDoc[]): Promise<void> {
  try {
    await db.publishedEvents.insertMany(kept, { ordered: false, writeConcern: { w: 1, journal: false } })
  } catch (error) {
    // Another process has published it too.
    const failures = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
    if (failures.length === 0 || failures.some(({ code }) => code !== duplicateKey)) throw error
  }
}

/** When the first note since a time was published, in milliseconds; undefined when there is none. */
export async function findNextPublishedMS(db: Db, fromMS: number): Promise<number | undefined> {
  const options = { sort: { at: 1, _id: 1 }, projection: { at: 1 } } as const
  const next = await db.publishedEvents.findOne({ at: { $gte: new Date(fromMS) } }, options)
  return next?.at.getTime()
}

/** The notes that were published in a stretch of time, the end excluded, in order. */
export async function findPublished(db: Db, fromMS: number, toMS: number): Promise<PublishedEventsDoc[]> {
  return db.publishedEvents
    .find({ at: { $gte: new Date(fromMS), $lt: new Date(toMS) } })
    .sort({ at: 1, _id: 1 })
    .toArray()
}
