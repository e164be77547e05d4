import { clock } from '@parley/async/clock'
import { ObjectId } from 'mongodb'
import type { Db } from '../db.ts'
import { messagesOf } from '../message-buckets/buckets.ts'
import { joined, readBoth } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from './documents.ts'

const idAt = (ms: number) => ObjectId.createFromTime(Math.floor(ms / 1_000)).toHexString()
/** Imported messages have IDs of any form. */
const isOurs = { $regex: /^[0-9a-f]{24}$/ }
/** Clocks of processes differ by less. */
const aheadMS = 86_400_000

/** The second of the first message ID since a time, in milliseconds; undefined if there is none. */
export async function findNextMessageMS(db: Db, fromMS: number): Promise<number | undefined> {
  const _id = { $gte: idAt(fromMS), $lt: idAt(clock.now() + aheadMS) }
  const [bucket] = await db.messageBuckets
    .find({ messages: { $elemMatch: { _id } } }, { projection: { 'messages._id': 1 } })
    // Index order: a sort on the array would use the lowest ID of each bucket.
    .hint({ 'messages._id': 1 })
    .limit(1)
    .toArray()
  const apart = await db.messages.findOne({ _id: { ..._id, ...isOurs } }, { sort: { _id: 1 }, projection: { _id: 1 } })
  const ids = [...(bucket?.messages ?? []), ...(apart ? [apart] : [])].flatMap((message) => message._id ?? [])
  const next = ids.filter((id) => id >= _id.$gte).toSorted()[0]
  return next === undefined ? undefined : new ObjectId(next).getTimestamp().getTime()
}

/**
 * The messages with IDs from a range of whole seconds, by creation time: an ID begins with its time in seconds (MongoDB
 * manual, "ObjectId"). Excludes thread messages: their events go through the outbox.
 */
export async function findMessagesOfSecond(
  db: Db,
  fromMS: number,
  toMS: number,
): Promise<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>[]> {
  const _id = { $gte: idAt(fromMS), $lt: idAt(toMS), ...isOurs }
  const fields = { app: 1, room: 1, roomKey: 1, 'messages._id': 1, 'messages.createdAtMS': 1, 'messages.seq': 1 }
  const { buckets, apart } = await readBoth(
    db,
    [{ $match: { messages: { $elemMatch: { _id } } } }, { $project: fields }],
    [{ $match: { _id, threadOf: { $exists: false } } }, { $project: { createdAtMS: 1, seq: 1 } }],
  )
  const inBuckets = buckets.flatMap(messagesOf).filter((message) => message._id >= _id.$gte && message._id < _id.$lt)
  const messages = joined(inBuckets, apart)
  return messages.toSorted((one, other) => one.createdAtMS - other.createdAtMS || one.seq - other.seq)
}
