import type { Document } from 'mongodb'

/** Where a page of a list ends that is sorted by a time, then by an ID. */
export interface PagePlace {
  atMS: number
  id: string
}

/**
 * The filter for entries after a position in a list; an index of the two fields is read from there on. Without a
 * position: everything.
 */
export function beyond(
  place: PagePlace | undefined,
  { time, id, order }: { time: string; id: string; order: 1 | -1 },
): Document {
  if (!place) return {}
  const further = order === 1 ? '$gt' : '$lt'
  const notBefore = order === 1 ? '$gte' : '$lte'
  return {
    [time]: { [notBefore]: place.atMS },
    $or: [{ [time]: { [further]: place.atMS } }, { [id]: { [further]: place.id } }],
  }
}

/** A page of a list, the latest first: what lies between two times, both included, and beyond a position. */
export interface TimePage {
  sinceMS: number
  untilMS: number
  before?: PagePlace | undefined
  limit: number
}

/** The filter of such a page; an index of the two fields is read from there on. */
export function inTimePage({ sinceMS, untilMS, before }: TimePage, fields: { time: string; id: string }): Document {
  return { $and: [{ [fields.time]: { $gte: sinceMS, $lte: untilMS } }, beyond(before, { ...fields, order: -1 })] }
}
