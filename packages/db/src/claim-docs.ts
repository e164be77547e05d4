import { clock } from '@parley/async/clock'
import type { Collection, Document, Filter, FindOneAndUpdateOptions, UpdateFilter, WithId } from 'mongodb'

interface Claimable {
  _id: string
  nextMS?: number
  claim?: string
}

/** Leases due work, longest overdue first. No other process can claim it until the lease expires. */
export async function claimDocs<T extends Claimable>(
  collection: Collection<T>,
  { claim, limit, leaseMS }: { claim: string; limit: number; leaseMS: number },
): Promise<WithId<T>[]> {
  const now = clock.now()
  const due = { nextMS: { $exists: true, $lte: now } }
  const found = await collection
    .find(due as Filter<T>, { projection: { _id: 1 } })
    .sort({ nextMS: 1 })
    .limit(limit)
    .toArray()
  if (found.length === 0) return []
  const _id = { $in: found.map((one) => one._id) }
  const { modifiedCount } = await collection.updateMany(
    { _id, ...due } as Filter<T>,
    {
      $set: { claim, nextMS: now + leaseMS },
    } as unknown as UpdateFilter<T>,
  )
  return modifiedCount === 0 ? [] : collection.find({ _id, claim } as Filter<T>).toArray()
}

/**
 * Changes the first document that matches, such as the next due job; null if there is none. Updates by `_id`, since
 * MongoDB 6 requires the shard key to update a single document of a sharded collection.
 */
export async function changeFirst<T extends Document & { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  update: UpdateFilter<T>,
  { sort, hint, projection }: Pick<FindOneAndUpdateOptions, 'sort' | 'hint' | 'projection'>,
): Promise<WithId<T> | null> {
  for (;;) {
    const order = { ...(sort && { sort }), ...(hint !== undefined && { hint }) }
    const first = await collection.findOne(filter, { ...order, projection: { _id: 1 } })
    if (!first) return null
    const same = { ...filter, _id: first._id }
    const changed = await collection.findOneAndUpdate(same, update, {
      returnDocument: 'after',
      ...(projection && { projection }),
    })
    if (changed) return changed
  }
}
