import { clock } from '@parley/async/clock'
import type { Collection, Filter, UpdateFilter, WithId } from 'mongodb'

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
