import type { ServerEvent } from '@parley/contracts/socket/server-events'
import type { IndexDescription } from 'mongodb'
import type { Db } from '../connect.ts'

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
