import { clock } from '@parley/async/clock'
import type { FindCursor } from 'mongodb'
import { asTooSlow, QueryTooSlow } from '../server-errors.ts'

/** A cursor: a time, and how many messages of this time earlier pages had. */
export interface SearchPosition {
  atMS: number
  passed: number
}

export interface SearchReading {
  atOnce: number
  untilMS: number
}

/** Yields the results of a search in batches. @throws QueryTooSlow after `untilMS` */
export async function* searchPages<T>(query: FindCursor<T>, { atOnce, untilMS }: SearchReading): AsyncGenerator<T[]> {
  const cursor = query.batchSize(atOnce).maxTimeMS(Math.max(1, untilMS - clock.now()))
  try {
    while (await cursor.hasNext()) {
      if (clock.now() > untilMS) throw new QueryTooSlow('the search took too long')
      yield cursor.readBufferedDocuments(atOnce)
    }
  } catch (error) {
    throw asTooSlow(error)
  } finally {
    await cursor.close()
  }
}
