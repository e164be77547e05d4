import type { Collection } from 'mongodb'

/** Joins parts by NUL, which no ID can contain (contracts/ids.ts), so different parts never give the same key. */
export function key(...parts: [string, string, ...string[]]): string {
  return parts.join('\0')
}

export interface AppUser {
  app: string
  user: string
}

/** The range of all keys of the form `key(prefix, …)`. */
export function keyRange(prefix: string): { $gt: string; $lt: string } {
  return { $gt: `${prefix}\0`, $lt: `${prefix}\u0001` }
}

export function idsOf(documents: readonly { _id: string }[]): string[] {
  return documents.map(({ _id }) => _id)
}

/** Matches the members or bans of a room or thread. `roomKey` selects the index, the `_id` range the shard. */
export function ofRoom(roomKey: string): { roomKey: string; _id: { $gt: string; $lt: string } } {
  return { roomKey, _id: keyRange(roomKey) }
}

/** A scan of this many documents takes well under a second, far below the driver's 10 s timeout. */
const maxInPart = 10_000

export type KeyPart = { $gt: string; $lt: string } | { $gt: string; $lte: string }

/**
 * Splits an app's documents in a collection into `_id` ranges, for commands that scan them all. Each range covers
 * `max` documents at the time it is requested; the last one covers the rest.
 */
export async function* keyParts<T extends { _id: string }>(
  collection: Collection<T>,
  app: string,
  max = maxInPart,
): AsyncGenerator<KeyPart> {
  const { $lt } = keyRange(app)
  let { $gt } = keyRange(app)
  for (;;) {
    const [last] = await collection
      .aggregate<{ _id: string }>([
        { $match: { _id: { $gt, $lt } } },
        { $sort: { _id: 1 } },
        { $skip: max - 1 },
        { $limit: 1 },
        { $project: { _id: 1 } },
      ])
      .toArray()
    if (last === undefined) return yield { $gt, $lt }
    yield { $gt, $lte: last._id }
    $gt = last._id
  }
}
