import type { Document } from 'mongodb'

/** The end of a page of a list that is sorted by time, then ID. */
export interface PagePlace {
  atMS: number
  id: string
}

/**
 * Matches entries after a position in a list, or all entries without one. Lets an index on (time, ID) seek to the
 * position.
 */
export function beyond(
  place: { atMS: number | string | Date; id: string } | undefined,
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

/** A page of a list, latest first: entries between two times, both inclusive, after a position. */
export interface TimePage {
  sinceMS: number
  untilMS: number
  before?: PagePlace | undefined
  limit: number
}

/** The filter of a TimePage; see beyond. */
export function inTimePage({ sinceMS, untilMS, before }: TimePage, fields: { time: string; id: string }): Document {
  return { $and: [{ [fields.time]: { $gte: sinceMS, $lte: untilMS } }, beyond(before, { ...fields, order: -1 })] }
}
