import { MongoServerError } from 'mongodb'

/** A query exceeded its time limit. */
export class QueryTooSlow extends Error {
  override name = 'QueryTooSlow'
}

const maxTimeExpired = 50

/** MongoDB's error codes for a regular expression that is invalid, or exceeds its limits. */
export const unreadablePattern = [2, 51_091, 51_108, 51_156]

/**
 * Converts MaxTimeMSExpired to QueryTooSlow, and returns other errors unchanged.
 * @param codes further codes to convert
 */
export function asTooSlow(error: unknown, codes: readonly number[] = []): unknown {
  const isOver = error instanceof MongoServerError && [maxTimeExpired, ...codes].includes(Number(error.code))
  return isOver ? new QueryTooSlow('the query took too long', { cause: error }) : error
}
