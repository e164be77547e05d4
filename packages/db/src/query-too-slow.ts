import { MongoServerError } from 'mongodb'

/** A query exceeded its time limit. */
export class QueryTooSlow extends Error {
  override name = 'QueryTooSlow'
}

const maxTimeExpired = 50

/** Converts the error of an exceeded time limit to QueryTooSlow, and returns others unchanged. @param codes more codes of it */
export function asTooSlow(error: unknown, codes: readonly number[] = []): unknown {
  const isOver = error instanceof MongoServerError && [maxTimeExpired, ...codes].includes(Number(error.code))
  return isOver ? new QueryTooSlow('the query took too long', { cause: error }) : error
}
