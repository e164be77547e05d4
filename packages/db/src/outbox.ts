import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import type { MessageDoc } from './messages.ts'

/**
 * Events of messages that the bus has not acknowledged yet. Written with the messages, one document for all of a
 * batch, and deleted when the bus has every event: so the price is per batch, not per message.
 */
export interface OutboxDoc {
  _id: string
  atMS: number
  events: UnpublishedEvent[]
}

interface UnpublishedEvent {
  /** ID of the message. */
  message: string
  event: ServerEvent
}

export const outboxIndexes: IndexDescription[] = [{ key: { atMS: 1 } }]

/** What names an event of a message wherever it goes: the same if it is published twice. */
export function messageEventId({ _id, updatedAtMS }: MessageDoc, event: ServerEvent): string {
  return event === 'chat message' ? _id : `${_id}:${event}:${updatedAtMS}`
}

/** Notes a change of a message as unpublished, inside the transaction that makes it; answers the ID of the note. */
export async function noteChange(
  db: Db,
  message: MessageDoc,
  event: ServerEvent,
  session: ClientSession,
): Promise<string> {
  const _id = messageEventId(message, event)
  await db.outbox.insertOne({ _id, atMS: Date.now(), events: [{ message: message._id, event }] }, { session })
  return _id
}

/**
 * Notes messages as unpublished before the transaction that writes them, so that it has one round trip less. Whatever
 * comes later in the journal is there only if this is; some of the messages may never come.
 */
export async function noteMessages(db: Db, note: string, ids: readonly string[]): Promise<void> {
  const events = ids.map((message) => ({ message, event: 'chat message' as const }))
  await db.outbox.insertOne({ _id: note, atMS: Date.now(), events }, { writeConcern: { w: 1, journal: false } })
}

/** Forgets what the bus has. Not journaled: what comes back is only published again. */
export async function deletePublished(db: Db, ids: readonly string[]): Promise<void> {
  await db.outbox.deleteMany({ _id: { $in: [...ids] } }, { writeConcern: { w: 1, journal: false } })
}

/** Since when the oldest event waits for the bus (Unix milliseconds). */
export async function oldestUnpublished(db: Db): Promise<number | undefined> {
  const oldest = await db.outbox.findOne({}, { sort: { atMS: 1 }, projection: { atMS: 1 } })
  return oldest?.atMS
}

/** What waits for the bus since before `beforeMS`, oldest first. */
export async function findUnpublished(db: Db, beforeMS: number, limit: number): Promise<OutboxDoc[]> {
  return db.outbox
    .find({ atMS: { $lt: beforeMS } })
    .sort({ atMS: 1 })
    .limit(limit)
    .toArray()
}
