import type { Db } from '../db.ts'
import { asMessages } from '../message-buckets/all-messages.ts'
import { idAt } from '../messages/message-id.ts'
import { minuteOf } from '../minutes.ts'
import { bucketLevels } from './buckets.ts'
import type { SentFact } from './counted-messages.ts'

/**
 * The first and last flushed message per room, sender and minute since a time, for the statistics. Excludes threads.
 */
export async function findNewestSent(db: Db, app: string, sinceMS: number): Promise<SentFact[]> {
  const minute = { $floor: { $divide: ['$createdAtMS', bucketLevels.minute.sizeMS] } }
  const isSince = { $gte: idAt(sinceMS) }
  const apart = [{ $match: { _id: isSince, app, threadOf: { $exists: false } } }]
  const found = await db.messageBuckets
    .aggregate<{ _id: { room: string; user: string }; first: number; last: number; atMS: number }>([
      { $match: { minutes: { $gte: minuteOf(sinceMS) }, app } },
      ...asMessages,
      { $match: { _id: isSince } },
      { $unionWith: { coll: db.messages.collectionName, pipeline: apart } },
      {
        $group: {
          _id: { room: '$room', user: '$sender', minute },
          first: { $min: '$seq' },
          last: { $max: '$seq' },
          atMS: { $min: '$createdAtMS' },
        },
      },
    ])
    .toArray()
  return found.flatMap(({ _id: { room, user }, first, last, atMS }) =>
    [first, last].map((seq) => ({ app, room, user, seq, atMS })),
  )
}
