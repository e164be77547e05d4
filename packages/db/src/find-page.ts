import type { Collection, Document, Filter, FindOptions, WithId } from 'mongodb'

/** The end of a page of a list that is sorted by time, then ID. */
export interface PagePosition {
  atMS: number
  id: string
}

/** The fields that sort a list. An index on them, in this order, serves its pages. */
interface Sorting {
  time: string
  id: string
  order: 1 | -1
}

interface Page {
  /** The position after which the page begins; without one, the first page. */
  after?: { atMS: number | string | Date; id: string } | undefined
  limit: number
}

/** A page of the documents that match a filter. */
export async function findPage<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  by: Sorting,
  { after, limit }: Page,
  options: FindOptions = {},
): Promise<WithId<T>[]> {
  const sort = { [by.time]: by.order, [by.id]: by.order }
  const rest = { $and: [filter, beyond(after, by)] } as Filter<T>
  return collection.find(rest, { ...options, sort, limit }).toArray()
}

/** Matches entries after a position, or all entries without one. Lets an index seek to the position. */
function beyond(after: Page['after'], { time, id, order }: Sorting): Document {
  if (!after) return {}
  const further = order === 1 ? '$gt' : '$lt'
  const notBefore = order === 1 ? '$gte' : '$lte'
  return {
    [time]: { [notBefore]: after.atMS },
    $or: [{ [time]: { [further]: after.atMS } }, { [id]: { [further]: after.id } }],
  }
}

/** A page of a list, latest first: entries between two times, both inclusive, after a position. */
export interface TimePage {
  sinceMS: number
  untilMS: number
  before?: PagePosition | undefined
  limit: number
}

/** Like findPage, for a TimePage. */
export async function findTimePage<T extends Document>(
  collection: Collection<T>,
  filter: Filter<T>,
  { time, id }: Omit<Sorting, 'order'>,
  { sinceMS, untilMS, before, limit }: TimePage,
  options: FindOptions = {},
): Promise<WithId<T>[]> {
  const inPeriod = { $and: [filter, { [time]: { $gte: sinceMS, $lte: untilMS } }] } as Filter<T>
  return findPage(collection, inPeriod, { time, id, order: -1 }, { after: before, limit }, options)
}
