import { clock } from '@parley/async/clock'
import { type Document, type IndexDescription, ObjectId, Timestamp } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, idsOf } from '../keys.ts'
import { ignoreDuplicates } from '../server-errors.ts'
import type { NotedEvent, PendingEventsDoc, PublishedEventsDoc } from './documents.ts'

export const pendingEventIndexes: IndexDescription[] = [
  { key: { atMS: 1 } },
  { key: { orderingKey: 1, order: 1 }, partialFilterExpression: { orderingKey: { $exists: true } } },
]

const newNoteId = () => new ObjectId().toHexString()

/** Far below MongoDB's document limit (16 MiB). */
const maxNoteBytes = 4 * 1024 * 1024

/** The events of one ordering key. */
export interface KeyedEvents {
  orderingKey: string
  events: readonly NotedEvent[]
}

/**
 * Writes events to the outbox in the transaction of their changes: one note per ordering key, or several if the events
 * are large. Returns the notes of each ordering key.
 */
export async function insertNotes(
  db: Db,
  changes: readonly KeyedEvents[],
  session: Session,
): Promise<PendingEventsDoc[][]> {
  const atMS = clock.now()
  // The server replaces an empty timestamp with its own time: MongoDB manual, "BSON Types", "Timestamps".
  const order = new Timestamp({ t: 0, i: 0 })
  const notes = changes.map(({ orderingKey, events }) =>
    splitBySize(events).map((part) => ({ _id: newNoteId(), atMS, orderingKey, order, events: part })),
  )
  await db.pendingEvents.insertMany(notes.flat(), { session })
  return notes
}

/** Splits events, in order, into parts of at most `maxNoteBytes`. */
function splitBySize(events: readonly NotedEvent[]): NotedEvent[][] {
  const parts: NotedEvent[][] = [[]]
  let bytes = 0
  for (const event of events) {
    bytes += 'json' in event ? Buffer.byteLength(event.json) : 0
    if (bytes > maxNoteBytes && parts.at(-1)?.length !== 0) {
      parts.push([])
      bytes = 'json' in event ? Buffer.byteLength(event.json) : 0
    }
    parts.at(-1)?.push(event)
  }
  return parts
}

/** Maximum number of pending notes read per ordering key; the relay publishes the rest. */
export const maxPerOrderingKey = 50

/**
 * The pending notes of these ordering keys, in order per key, at most `maxPerOrderingKey` per key on average. Runs
 * outside any transaction, so it sees other processes' commits.
 */
export async function findByOrderingKey(db: Db, orderingKeys: readonly string[]): Promise<PendingEventsDoc[]> {
  return db.pendingEvents.aggregate<PendingEventsDoc>(waitingIn(orderingKeys)).toArray()
}

/** The pipeline of `findByOrderingKey`, on `pendingEvents`. */
export function waitingIn(orderingKeys: readonly string[]): object[] {
  return [
    { $match: { orderingKey: { $in: [...orderingKeys] } } },
    { $sort: { orderingKey: 1, order: 1 } },
    { $limit: maxPerOrderingKey * orderingKeys.length },
  ]
}

/** Writes notes without an ordering key to the outbox. */
export async function insertUnordered(db: Db, notes: readonly PendingEventsDoc[]): Promise<void> {
  await db.pendingEvents.insertMany(notes)
}

/** Deletes published notes. Not journaled: if a crash restores a note, it is published again. */
export async function deletePublished(db: Db, ids: readonly string[]): Promise<void> {
  await db.pendingEvents.deleteMany({ _id: { $in: [...ids] } }, { writeConcern: { w: 1, journal: false } })
}

/** The time of the oldest unpublished event (Unix milliseconds). */
export async function oldestUnpublished(db: Db): Promise<number | undefined> {
  const oldest = await db.pendingEvents.findOne({}, { sort: { atMS: 1 }, projection: { atMS: 1 } })
  return oldest?.atMS
}

/** The unpublished notes from before `beforeMS`, oldest first. */
export async function findUnpublished(db: Db, beforeMS: number, limit: number): Promise<PendingEventsDoc[]> {
  return db.pendingEvents
    .find({ atMS: { $lt: beforeMS } })
    .sort({ atMS: 1 })
    .limit(limit)
    .toArray()
}

export const publishedEventIndexes: IndexDescription[] = [
  { key: { at: 1, _id: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  { key: { 'events.to.user': 1 }, sparse: true },
]

/** Moves published notes to `publishedEvents`, where they expire after `hours`. */
export async function keepPublished(
  db: Db,
  notes: readonly Pick<PendingEventsDoc, '_id' | 'atMS' | 'events'>[],
  hours: number,
): Promise<void> {
  const at = clock.date()
  const expiresAt = new Date(at.getTime() + hours * 3_600_000)
  // Node commands are not kept: they act on sockets connected now, and a node that was cut off reads the database.
  const kept = notes
    .map(({ _id, atMS, events }) => ({
      _id,
      atMS,
      at,
      expiresAt,
      events: events.filter(({ kind }) => kind !== 'command'),
    }))
    .filter(({ events }) => events.length > 0)
  // Not journaled: a failover that rolls this back also rolls back the deletion that follows.
  const lazily = { ordered: false, writeConcern: { w: 1, journal: false } } as const
  // Another process may have published the note too.
  if (kept.length > 0) await ignoreDuplicates(db.publishedEvents.insertMany(kept, lazily))
  await deletePublished(db, idsOf(notes))
}

/** Removes a user's profile, and events for the user alone, from published notes. */
export async function forgetPublishedOf(db: Db, { app, user }: AppUser): Promise<void> {
  const own = { 'to.app': app, 'to.user': user, $or: [{ kind: 'event' }, { event: 'user' }] }
  const pull = { $pull: { events: own } } as Document
  await db.publishedEvents.updateMany({ events: { $elemMatch: own } }, pull)
}

/** When the first note since a time was published, in milliseconds; undefined if there is none. */
export async function findNextPublishedMS(db: Db, fromMS: number): Promise<number | undefined> {
  const options = { sort: { at: 1, _id: 1 }, projection: { at: 1 } } as const
  const next = await db.publishedEvents.findOne({ at: { $gte: new Date(fromMS) } }, options)
  return next?.at.getTime()
}

/** The notes published in a period, excluding its end, in order. */
export async function findPublished(db: Db, fromMS: number, toMS: number): Promise<PublishedEventsDoc[]> {
  return db.publishedEvents
    .find({ at: { $gte: new Date(fromMS), $lt: new Date(toMS) } })
    .sort({ at: 1, _id: 1 })
    .toArray()
}
