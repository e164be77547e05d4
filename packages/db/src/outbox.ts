import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from './connect.ts'
import type { MessageDoc } from './messages.ts'

/**
 * Events of messages that the bus has not acknowledged yet. Written in the transaction that writes the messages, one
 * document for all of it, and deleted when the bus has every event: so the price is per batch, not per message.
 */
export interface OutboxDoc {
  _id: string
  atMS: number
  events: UnpublishedEvent[]
}

export interface UnpublishedEvent {
  /** ID of the message. */
  message: string
  event: ServerEvent
}

export const outboxIndexes: IndexDescription[] = [{ key: { atMS: 1 } }]

/** What names an event of a message wherever it goes: the same if it is published twice. */
export function messageEventId({ _id, updatedAtMS }: MessageDoc, event: ServerEvent): string {
  return event === 'chat message' ? _id : `${_id}:${event}:${updatedAtMS}`
}

/** Notes events as unpublished, inside the transaction that writes their messages; answers the ID of the note. */
export async function insertUnpublished(
  db: Db,
  messages: readonly MessageDoc[],
  event: ServerEvent,
  session: ClientSession,
): Promise<string> {
  const [first] = messages
  if (!first) throw new Error('an outbox of nothing')
  const events = messages.map(({ _id: message }) => ({ message, event }))
  const _id = messageEventId(first, event)
  await db.outbox.insertOne({ _id, atMS: Date.now(), events }, { session })
  return _id
}

/** Forgets what the bus has. Not journaled: what comes back is only published again. */
export async function deletePublished(db: Db, ids: readonly string[]): Promise<void> {
  await db.outbox.deleteMany({ _id: { $in: [...ids] } }, { writeConcern: { w: 1, journal: false } })
}

/** What waits for the bus since before `beforeMS`, oldest first. */
export async function findUnpublished(db: Db, beforeMS: number, limit: number): Promise<OutboxDoc[]> {
  return db.outbox
    .find({ atMS: { $lt: beforeMS } })
    .sort({ atMS: 1 })
    .limit(limit)
    .toArray()
}
