import type { Db } from '../db.ts'
import { byIDs, messagesOf } from '../message-buckets/buckets.ts'
import { joined, readBoth } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from './documents.ts'
import { idsFrom, madeAtMS } from './message-ids.ts'

/**
 * The second in which the first message since a time was made, in milliseconds, or an earlier one without messages; undefined
 * when there is none.
 */
export async function findNextMessageMS(db: Db, fromMS: number): Promise<number | undefined> {
  const since = { $gte: idsFrom(fromMS) }
  const [bucket] = await db.messageBuckets
    .find({ idPrefixes: since }, { projection: { idPrefixes: 1 } })
    // In the order of the index: a sort of it would be by the first prefix of each bucket.
    .hint(byIDs.key)
    .limit(1)
    .toArray()
  const apart = await db.messages.findOne({ _id: since }, { sort: { _id: 1 }, projection: { _id: 1 } })
  const found = [...(bucket?.idPrefixes ?? []), ...(apart ? [apart._id] : [])]
  const [next] = found.filter((digits) => digits >= since.$gte).toSorted()
  return next === undefined ? undefined : madeAtMS({ _id: next })
}

/**
 * The messages with IDs made in a range of whole seconds, in the order of their creation: an ID begins with its time. Without
 * those of threads, which have events in the outbox.
 */
export async function findMessagesOfSecond(
  db: Db,
  fromMS: number,
  toMS: number,
): Promise<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>[]> {
  const _id = { $gte: idsFrom(fromMS), $lt: idsFrom(toMS) }
  const fields = { app: 1, room: 1, roomKey: 1, 'messages._id': 1, 'messages.createdAtMS': 1, 'messages.seq': 1 }
  const { buckets, apart } = await readBoth(
    db,
    [{ $match: { idPrefixes: { $elemMatch: _id } } }, { $project: fields }],
    [{ $match: { _id, threadOf: { $exists: false } } }, { $project: { createdAtMS: 1, seq: 1 } }],
  )
  const inBuckets = buckets.flatMap(messagesOf).filter((message) => message._id >= _id.$gte && message._id < _id.$lt)
  const messages = joined(inBuckets, apart)
  return messages.toSorted((one, other) => one.createdAtMS - other.createdAtMS || one.seq - other.seq)
}
