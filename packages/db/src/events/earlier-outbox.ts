import type { ServerEvent } from '@parley/contracts/socket/server-events'
import { type IndexDescription, ObjectId, Timestamp } from 'mongodb'
import type { Db } from '../connect.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { NotedEvent } from './pending-events.ts'

/**
 * The outbox of gateways of release 0.1: events of messages. During a rolling update they still write it, and their relay
 * would drop notes that it does not know, so newer notes have a collection of their own (pending-events.ts). The release
 * after the next removes this file.
 */
export interface EarlierOutboxDoc {
  _id: string
  atMS: number
  events: { message: string; event: ServerEvent }[]
}

export const earlierOutboxIndexes: IndexDescription[] = [{ key: { atMS: 1 } }]

/** Moves notes of release 0.1 that are older than `beforeMS` to the pending events. */
export async function adoptEarlierNotes(db: Db, beforeMS: number, limit: number): Promise<void> {
  const notes = await db.outbox
    .find({ atMS: { $lt: beforeMS } })
    .sort({ atMS: 1 })
    .limit(limit)
    .toArray()
  if (notes.length === 0) return
  await db.pendingEvents.bulkWrite(
    notes.map(({ _id, atMS, events }) => {
      const adopted = events.map((event) => ({ kind: 'message' as const, ...event }))
      return { updateOne: { filter: { _id }, update: { $setOnInsert: { atMS, events: adopted } }, upsert: true } }
    }),
  )
  await db.outbox.deleteMany({ _id: { $in: notes.map(({ _id }) => _id) } })
}

/**
 * Notes the event of a deletion of all messages of a room by release 0.1, which says so in the room alone; once, and only
 * while the bus does not have it.
 */
export async function noteEarlierDeletion(
  db: Db,
  room: string,
  { lane, id, event }: { lane: string; id: string; event: NotedEvent },
): Promise<void> {
  // Before the messages that were sent after it.
  const atMS = new ObjectId(id).getTimestamp().getTime()
  await inTransaction(db, async (session) => {
    const { matchedCount } = await db.rooms.updateOne(
      { _id: room, 'erasing.unpublished': id, 'erasing.isNoted': { $exists: false } },
      { $set: { 'erasing.isNoted': true } },
      { session },
    )
    const order = new Timestamp({ t: 0, i: 0 })
    if (matchedCount > 0) await db.pendingEvents.insertOne({ _id: id, atMS, lane, order, events: [event] }, { session })
  })
}
