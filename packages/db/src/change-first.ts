import type { Collection, Document, Filter, FindOneAndUpdateOptions, UpdateFilter, WithId } from 'mongodb'

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
