import type { Document, Filter } from 'mongodb'
import type { Db } from '../db.ts'
import type { MessageDoc } from '../messages/documents.ts'

/** The stages of a pipeline on buckets that make them the messages in them. */
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

/** All flushed messages that a filter matches, in no order. Reads both collections whole: for audits of a small database. */
export async function findAllMessages({ mongo }: Pick<Db, 'mongo'>, filter: Filter<MessageDoc>): Promise<MessageDoc[]> {
  return mongo
    .collection('messageBuckets')
    .aggregate<MessageDoc>([...asMessages, { $unionWith: { coll: 'messages', pipeline: [] } }, { $match: filter }])
    .toArray()
}
