import { clock } from '@parley/async/clock'
import type { Db } from '../db.ts'
import { byMinute, messagesOf } from '../message-buckets/buckets.ts'
import { joined, readBoth } from '../message-buckets/find-messages.ts'
import { minuteMS, minuteOf } from '../minutes.ts'
import type { MessageDoc } from './documents.ts'
import { idAt, isMade, timeOfID } from './message-id.ts'

/** Clocks of processes differ by less. */
const aheadMS = 86_400_000

/** The second of the first message ID since a time, in milliseconds; undefined if there is none. */
export async function findNextMessageMS(db: Db, fromMS: number): Promise<number | undefined> {
  const untilMS = clock.now() + aheadMS
  const inBuckets = await findNextInBuckets(db, fromMS, untilMS)
  const _id = { $gte: idAt(fromMS), $lt: idAt(untilMS), ...isMade }
  const apart = await db.messages.findOne({ _id }, { sort: { _id: 1 }, projection: { _id: 1 } })
  const times = [inBuckets, apart?._id].flatMap((id) => (id === undefined ? [] : (timeOfID(id) ?? [])))
  return times.length > 0 ? Math.min(...times) : undefined
}

/** The first ID of a period in buckets, found in the first minute that has one. */
async function findNextInBuckets(db: Db, fromMS: number, untilMS: number): Promise<string | undefined> {
  for (let minute = minuteOf(fromMS); ; minute++) {
    const next = await findNextMinute(db, minute, minuteOf(untilMS))
    if (next === undefined) return undefined
    minute = next
    const isWanted = [
      { $gte: ['$$this', idAt(Math.max(fromMS, minute * minuteMS))] },
      { $lt: ['$$this', idAt(Math.min(untilMS, (minute + 1) * minuteMS))] },
      { $regexMatch: { input: '$$this', regex: isMade.$regex } },
    ]
    const first = { $min: { $filter: { input: '$messages._id', cond: { $and: isWanted } } } }
    const [found] = await db.messageBuckets
      .aggregate<{ first: string | null }>([
        { $match: { minutes: minute } },
        { $group: { _id: null, first: { $min: first } } },
      ])
      .toArray()
    if (found?.first) return found.first
  }
}

/** The first minute of this range in which the ID of a bucketed message was made. */
async function findNextMinute(db: Db, from: number, upTo: number): Promise<number | undefined> {
  const [bucket] = await db.messageBuckets
    .find({ minutes: { $elemMatch: { $gte: from, $lte: upTo } } }, { projection: { minutes: 1 } })
    // Index order: a sort on the array would use the lowest minute of each bucket.
    .hint(byMinute.key)
    .limit(1)
    .toArray()
  return bucket && Math.min(...bucket.minutes.filter((minute) => minute >= from))
}

/** The messages with IDs of some whole seconds of a minute, by time, without threads' (they use the outbox). */
export async function findMessagesOfSecond(
  db: Db,
  fromMS: number,
  toMS: number,
): Promise<Pick<MessageDoc, '_id' | 'createdAtMS' | 'seq'>[]> {
  const _id = { $gte: idAt(fromMS), $lt: idAt(toMS), ...isMade }
  const fields = { app: 1, room: 1, roomKey: 1, 'messages._id': 1, 'messages.createdAtMS': 1, 'messages.seq': 1 }
  const { buckets, apart } = await readBoth(
    db,
    [{ $match: { minutes: minuteOf(fromMS) } }, { $project: fields }],
    [{ $match: { _id, threadOf: { $exists: false } } }, { $project: { createdAtMS: 1, seq: 1 } }],
  )
  const isWanted = ({ _id: id }: MessageDoc) => {
    const atMS = timeOfID(id)
    return atMS !== undefined && atMS >= fromMS && atMS < toMS
  }
  const messages = joined(buckets.flatMap(messagesOf).filter(isWanted), apart)
  return messages.toSorted((one, other) => one.createdAtMS - other.createdAtMS || one.seq - other.seq)
}
