import type { TypedCalls } from '../calls/typed-calls.ts'
import type { AdminCalls, ListEventsResult } from '../generated/types.ts'
import { retryTransient } from '../retry-transient.ts'

export interface EventsOptions {
  /** The `cursor` of the last handled event. Without it, events start from now. */
  after?: string
  /** Only events of these types. */
  types?: readonly string[]
  signal?: AbortSignal
}

/** Long-poll wait of one call. */
const waitSeconds = 25

/**
 * See `Admin.events`.
 * @param timeoutMS call timeout, added to the long-poll wait
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
    // Without a cursor, the first call returns the current one at once.
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
    await retryTransient(read, isWanted).catch((error: unknown) => {
      if (isWanted()) throw error
    })
    if (!page || !isWanted()) return
    yield* page.data
    cursor = page.cursor
  }
}
