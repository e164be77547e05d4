import { clock } from '@parley/async/clock'
import { type Document, type IndexDescription, ObjectId, Timestamp } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { type AppUser, idsOf } from '../keys.ts'
import { roomHash } from '../messages/message-id.ts'
import { ignoreDuplicates } from '../server-errors.ts'
import type { OutboxEntry, OutboxEvent, PublishedEntry } from './documents.ts'

export const outboxIndexes: IndexDescription[] = [
  { key: { atMS: 1 } },
  { key: { orderingKey: 1, order: 1 }, partialFilterExpression: { orderingKey: { $exists: true } } },
]

const newEntryId = () => new ObjectId().toHexString()

/** Far below MongoDB's document limit (16 MiB). */
const maxEntryBytes = 4 * 1024 * 1024

export interface KeyedEvents {
  orderingKey: string
  events: readonly OutboxEvent[]
}

/**
 * Writes events to the outbox in the transaction of their changes: one entry per ordering key, or several if the events
 * are large. Returns the entries of each ordering key.
 */
export async function insertEntries(
  db: Db,
  changes: readonly KeyedEvents[],
  session: Session,
): Promise<OutboxEntry[][]> {
  const atMS = clock.now()
  // The server replaces an empty timestamp with its own time: MongoDB manual, "BSON Types", "Timestamps".
  const order = new Timestamp({ t: 0, i: 0 })
  const entries = changes.map(({ orderingKey, events }) =>
    splitBySize(events).map((part) => ({ _id: newEntryId(), atMS, orderingKey, order, events: part })),
  )
  await db.outbox.insertMany(entries.flat(), { session })
  return entries
}

/** Splits events, in order, into parts of at most `maxEntryBytes`. */
function splitBySize(events: readonly OutboxEvent[]): OutboxEvent[][] {
  const parts: OutboxEvent[][] = [[]]
  let bytes = 0
  for (const event of events) {
    bytes += 'json' in event ? Buffer.byteLength(event.json) : 0
    if (bytes > maxEntryBytes && parts.at(-1)?.length !== 0) {
      parts.push([])
      bytes = 'json' in event ? Buffer.byteLength(event.json) : 0
    }
    parts.at(-1)?.push(event)
  }
  return parts
}

/** Maximum number of pending entries read per ordering key; the relay publishes the rest. */
export const maxPerOrderingKey = 50

/**
 * The pending entries of these ordering keys, in order per key, at most `maxPerOrderingKey` per key on average. Runs
 * outside any transaction, so it sees other processes' commits.
 */
export async function findByOrderingKey(db: Db, orderingKeys: readonly string[]): Promise<OutboxEntry[]> {
  return db.outbox.aggregate<OutboxEntry>(waitingIn(orderingKeys)).toArray()
}

export function waitingIn(orderingKeys: readonly string[]): object[] {
  return [
    { $match: { orderingKey: { $in: [...orderingKeys] } } },
    { $sort: { orderingKey: 1, order: 1 } },
    { $limit: maxPerOrderingKey * orderingKeys.length },
  ]
}

export async function insertUnordered(db: Db, entries: readonly OutboxEntry[]): Promise<void> {
  await db.outbox.insertMany(entries)
}

/** Deletes published entries. Not journaled: if a crash restores an entry, it is published again. */
export async function deletePublished(db: Db, ids: readonly string[]): Promise<void> {
  await db.outbox.deleteMany({ _id: { $in: [...ids] } }, { writeConcern: { w: 1, journal: false } })
}

/** The time of the oldest unpublished event (Unix milliseconds). */
export async function oldestUnpublished(db: Db): Promise<number | undefined> {
  const oldest = await db.outbox.findOne({}, { sort: { atMS: 1 }, projection: { atMS: 1 } })
  return oldest?.atMS
}

/** The unpublished entries from before `beforeMS`, oldest first. */
export async function findUnpublished(db: Db, beforeMS: number, limit: number): Promise<OutboxEntry[]> {
  return db.outbox
    .find({ atMS: { $lt: beforeMS } })
    .sort({ atMS: 1 })
    .limit(limit)
    .toArray()
}

/** Of the latest entries, those with new messages of a room, or of one with the same hash, oldest first. */
export async function findLatestOfRoom(db: Db, roomKey: string, among: number): Promise<OutboxEntry[]> {
  const ofRoom = { orderingKey: { $exists: false }, 'events.message': { $regex: `^[0-9a-f]{16}${roomHash(roomKey)}` } }
  // No index has the room. While the bus is away, there can be very many.
  const latest = [{ $sort: { atMS: -1 } }, { $limit: among }, { $match: ofRoom }, { $sort: { atMS: 1, _id: 1 } }]
  return db.outbox.aggregate<OutboxEntry>(latest).toArray()
}

export const publishedEventIndexes: IndexDescription[] = [
  { key: { at: 1, _id: 1 } },
  { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  { key: { 'events.to.user': 1 }, sparse: true },
]

/** Moves published entries to `publishedEvents`, where they expire after `hours`. */
export async function keepPublished(
  db: Db,
  entries: readonly Pick<OutboxEntry, '_id' | 'atMS' | 'events'>[],
  hours: number,
): Promise<void> {
  const at = clock.date()
  const expiresAt = new Date(at.getTime() + hours * 3_600_000)
  // Node commands are not kept: they act on sockets connected now, and a node that was cut off reads the database.
  const kept = entries
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
  // Another process may have published the entry too.
  if (kept.length > 0) await ignoreDuplicates(db.publishedEvents.insertMany(kept, lazily))
  await deletePublished(db, idsOf(entries))
}

/** Removes a user's profile, and events for the user alone, from published entries. */
export async function forgetPublishedOf(db: Db, { app, user }: AppUser): Promise<void> {
  const own = { 'to.app': app, 'to.user': user, $or: [{ kind: 'event' }, { event: 'user' }] }
  const pull = { $pull: { events: own } } as Document
  await db.publishedEvents.updateMany({ events: { $elemMatch: own } }, pull)
}

/** When the first entry since a time was published, in milliseconds; undefined if there is none. */
export async function findNextPublishedMS(db: Db, fromMS: number): Promise<number | undefined> {
  const options = { sort: { at: 1, _id: 1 }, projection: { at: 1 } } as const
  const next = await db.publishedEvents.findOne({ at: { $gte: new Date(fromMS) } }, options)
  return next?.at.getTime()
}

/** The entries published in a period, excluding its end, in order. */
export async function findPublished(db: Db, fromMS: number, toMS: number): Promise<PublishedEntry[]> {
  return db.publishedEvents
    .find({ at: { $gte: new Date(fromMS), $lt: new Date(toMS) } })
    .sort({ at: 1, _id: 1 })
    .toArray()
}
