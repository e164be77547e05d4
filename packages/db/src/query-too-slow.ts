import { MongoServerError } from 'mongodb'

/** A query exceeded its time limit. */
export class QueryTooSlow extends Error {
  override name = 'QueryTooSlow'
}

const maxTimeExpired = 50

/** The server's errors for a regular expression that exceeds its limits, or is invalid. */
export const unreadablePattern = [2, 51_091, 51_108, 51_156]

/** Converts the error of an exceeded time limit to QueryTooSlow, and returns others unchanged. @param codes more codes of it */
export function asTooSlow(error: unknown, codes: readonly number[] = []): unknown {
  const isOver = error instanceof MongoServerError && [maxTimeExpired, ...codes].includes(Number(error.code))
  return isOver ? new QueryTooSlow('the query took too long', { cause: error }) : error
}
