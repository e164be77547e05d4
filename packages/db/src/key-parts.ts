import type { Collection } from 'mongodb'
import { keyRange } from './keys.ts'

/** A scan of this many documents takes well under a second, far below the driver's 10 s timeout. */
const mostInPart = 10_000

/** A condition on `_id`. */
export type KeyPart = { $gt: string; $lt: string } | { $gt: string; $lte: string }

/**
 * Splits an app's documents in a collection into `_id` ranges, for commands that scan them all. Each range covers
 * `most` documents at the time it is requested; the last one covers the rest.
 */
export async function* keyParts<T extends { _id: string }>(
  collection: Collection<T>,
  app: string,
  most = mostInPart,
): AsyncGenerator<KeyPart> {
  const { $lt } = keyRange(app)
  let { $gt } = keyRange(app)
  for (;;) {
    const [last] = await collection
      .aggregate<{ _id: string }>([
        { $match: { _id: { $gt, $lt } } },
        { $sort: { _id: 1 } },
        { $skip: most - 1 },
        { $limit: 1 },
        { $project: { _id: 1 } },
      ])
      .toArray()
    if (last === undefined) return yield { $gt, $lt }
    yield { $gt, $lte: last._id }
    $gt = last._id
  }
}
