import type { Collection } from 'mongodb'
import { keyRange } from './keys.ts'

/** Looked through in well under a second without an index, far from the 10 s of the driver. */
const mostInPart = 10_000

/** A condition on `_id`. */
export type KeyPart = { $gt: string; $lt: string } | { $gt: string; $lte: string }

/**
 * Conditions on `_id` that together cover an app's documents in a collection, for commands that scan them all: each
 * covers `most` of those present when it is requested, the last one the rest.
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
