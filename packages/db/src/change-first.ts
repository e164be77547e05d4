import type { Collection, Document, Filter, FindOneAndUpdateOptions, UpdateFilter, WithId } from 'mongodb'

/**
 * Changes the first document that matches, such as the next piece of work; null if there is none. Names it by its
 * `_id`, since MongoDB 6 changes one document of several shards only by its shard key.
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
