import type { Input } from '@parley/contracts/operation'
import type { listEvents } from '@parley/contracts/operations/integrations/events'
import type { AuthenticatedIntegrator } from '../access/caller.ts'
import { JsonText } from '../views/json-text.ts'
import { type FeedPosition, parseCursor, toCursor } from './cursor.ts'
import { type Feeds, parseTypes } from './feeds.ts'
import type { FeedPage, FeedQuery } from './read-feed.ts'

interface EventsParts {
  feeds: Feeds
  /** @throws ApiError INVALID_API_KEY if the caller's key is no longer active */
  requireLivingKey: (caller: AuthenticatedIntegrator) => Promise<void>
}

type Query = Input<typeof listEvents>['query']

/**
 * A page of the app's events, in one order. Without `after` it starts now (docs/reference/events-feed.md).
 * @param closed aborts when the caller disconnects
 * @throws ApiError INVALID_QUERY, CURSOR_GONE, INVALID_API_KEY if the key was revoked during the wait
 */
export async function readEvents(
  { feeds, requireLivingKey }: EventsParts,
  caller: AuthenticatedIntegrator,
  { after, limit, types, wait }: Query,
  closed: AbortSignal,
): Promise<JsonText> {
  const wanted = parseTypes(types)
  if (after === undefined) return toJson({ entries: [], position: await feeds.end() })
  const query = { after: parseCursor(after), limit, types: wanted, waitMS: wait * 1_000 }
  const page = await feeds.read(caller.app, query, closed)
  if (page.entries.length > 0) await requireLivingKey(caller)
  return toJson(page)
}

function toJson({ entries, position }: FeedPage): JsonText {
  const data = entries.map(({ json }) => json).join(',')
  return new JsonText([`{"data":[${data}],"cursor":${JSON.stringify(toCursor(position))}}`])
}

const quietMS = 15_000

/**
 * Streams the app's events from a position on, page by page, until the caller disconnects. The next page is read once
 * the previous one is taken, so a slow reader holds only one page. An empty page comes first and after 15 s without
 * events.
 * @throws ApiError as readEvents, on the first read, before anything is returned
 */
export async function openEvents(
  { feeds, requireLivingKey }: EventsParts,
  caller: AuthenticatedIntegrator,
  { after, limit, types }: Omit<Query, 'wait'>,
  closed: AbortSignal,
): Promise<AsyncGenerator<FeedPage>> {
  const wanted: Omit<FeedQuery, 'after' | 'waitMS'> = { limit, types: parseTypes(types) }
  const begin: FeedPosition = after === undefined ? await feeds.end() : parseCursor(after)
  const first = await feeds.read(caller.app, { ...wanted, after: begin, waitMS: 0 }, closed)

  async function* pages(): AsyncGenerator<FeedPage> {
    yield { entries: [], position: begin }
    if (first.entries.length > 0) yield first
    for (let { position } = first; !closed.aborted && !feeds.isStopped; ) {
      const page = await feeds.read(caller.app, { ...wanted, after: position, waitMS: quietMS }, closed)
      if (page.entries.length > 0) await requireLivingKey(caller)
      yield page
      position = page.position
    }
  }
  return pages()
}
