import type { Document, Filter } from 'mongodb'
import type { Db } from '../db.ts'
import type { MessageDoc } from '../messages/documents.ts'

/** Pipeline stages that turn buckets into their messages. */
export const asMessages: readonly Document[] = [
  { $unwind: '$messages' },
  { $match: { 'messages._id': { $exists: true } } },
  {
    $replaceWith: {
      $mergeObjects: [
        { app: '$app', room: '$room', roomKey: '$roomKey', updatedAtMS: '$messages.createdAtMS' },
        '$messages',
      ],
    },
  },
]

/** All flushed messages that match a filter, unordered. Scans both collections: for audits of a small database. */
export async function findAllMessages({ mongo }: Pick<Db, 'mongo'>, filter: Filter<MessageDoc>): Promise<MessageDoc[]> {
  return mongo
    .collection('messageBuckets')
    .aggregate<MessageDoc>([...asMessages, { $unionWith: { coll: 'messages', pipeline: [] } }, { $match: filter }])
    .toArray()
}
