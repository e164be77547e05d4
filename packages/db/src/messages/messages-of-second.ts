import { ObjectId } from 'mongodb'
import type { Db } from '../connect.ts'
import type { MessageDoc } from './messages.ts'

/**
 * The messages whose IDs were made in a stretch of time, in whole seconds, in the order of their creation: an ID begins with
 * its time (MongoDB manual, "ObjectId").
 */
export async function findMessagesOfSecond(
  db: Db,
  fromMS: number,
  toMS: number,
): Promise<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>[]> {
  const idAt = (ms: number) => ObjectId.createFromTime(Math.floor(ms / 1_000)).toHexString()
  const messages = await db.messages
    .find({ _id: { $gte: idAt(fromMS), $lt: idAt(toMS) } })
    .project<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>>({ createdAtMS: 1, seq: 1 })
    .toArray()
  return messages.toSorted((one, other) => one.createdAtMS - other.createdAtMS || one.seq - other.seq)
}
