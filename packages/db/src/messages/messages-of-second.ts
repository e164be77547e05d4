import { ObjectId } from 'mongodb'
import type { Db } from '../db.ts'
import type { MessageDoc } from './documents.ts'

const idAt = (ms: number) => ObjectId.createFromTime(Math.floor(ms / 1_000)).toHexString()

/** The second in which the first message since a time was made, in milliseconds; undefined when there is none. */
export async function findNextMessageMS(db: Db, fromMS: number): Promise<number | undefined> {
  const options = { sort: { _id: 1 }, projection: { _id: 1 } } as const
  const next = await db.messages.findOne({ _id: { $gte: idAt(fromMS) } }, options)
  return next ? new ObjectId(next._id).getTimestamp().getTime() : undefined
}

/**
 * The messages with IDs made in a range of whole seconds, in the order of their creation: an ID begins with its time
 * (MongoDB manual, "ObjectId"). Without those of threads, which have events in the outbox.
 */
export async function findMessagesOfSecond(
  db: Db,
  fromMS: number,
  toMS: number,
): Promise<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>[]> {
  const messages = await db.messages
    .find({ _id: { $gte: idAt(fromMS), $lt: idAt(toMS) }, threadOf: { $exists: false } })
    .project<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>>({ createdAtMS: 1, seq: 1 })
    .toArray()
  return messages.toSorted((one, other) => one.createdAtMS - other.createdAtMS || one.seq - other.seq)
}
