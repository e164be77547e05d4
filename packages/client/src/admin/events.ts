import type { TypedCalls } from '../calls/typed-calls.ts'
import type { AdminCalls, ListEventsResult } from '../generated/types.ts'
import { retryWhilePassing } from '../retry-while-passing.ts'

export interface EventsOptions {
  /** The `cursor` of the last event that was handled; without it the events from now on come. */
  after?: string
  /** Only these events. */
  types?: readonly string[]
  signal?: AbortSignal
}

/** Seconds that a call waits for an event. */
const waitSeconds = 25

/**
 * See `Admin.events`.
 * @param timeoutMS how long a call may take beyond its wait for an event
 */
export async function* eventsAfter(
  { listEvents }: Pick<TypedCalls<AdminCalls>, 'listEvents'>,
  { after, types, signal }: EventsOptions,
  timeoutMS: number,
): AsyncGenerator<ListEventsResult['data'][number], void> {
  let cursor = after
  const isWanted = () => signal?.aborted !== true
  while (isWanted()) {
    let page: ListEventsResult | undefined
    // The first call without a cursor says where now is.
    const wait = cursor === undefined ? 0 : waitSeconds
    const options = { timeoutMS: timeoutMS + wait * 1_000, ...(signal && { signal }) }
    const read = async () => {
      const input = {
        limit: 500,
        wait,
        ...(cursor !== undefined && { after: cursor }),
        ...(types && { types: types.join(',') }),
      }
      page = await listEvents(input, options)
    }
    await retryWhilePassing(read, isWanted).catch((error: unknown) => {
      if (isWanted()) throw error
    })
    if (!page || !isWanted()) return
    yield* page.data
    cursor = page.cursor
  }
}
