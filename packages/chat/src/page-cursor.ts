import { ApiError } from '@parley/contracts/errors'
import type { PagePosition } from '@parley/db/find-page'

const objectID = /^[0-9a-f]{24}$/
/** Format of message IDs: imported messages keep theirs. */
export const anyMessageID = /^.{1,128}$/s

/** Lists with such cursors. A cursor names its list, so that no other list accepts it. */
type List =
  | ('audit' | 'bookmarks' | 'calls' | 'holds' | 'jobs' | 'members' | 'reminders' | 'reports' | 'scheduled' | 'threads')
  | `users.${string}`

export function toCursor(list: List, { atMS, id }: PagePosition): string {
  return `${list} ${atMS} ${id}`
}

/**
 * Parses a cursor of `toCursor` for the same list; undefined if there is none.
 * @param ids format of the list's IDs
 * @throws ApiError INVALID_QUERY
 */
export function parseCursor(list: List, cursor: string | undefined, ids = objectID): PagePosition | undefined {
  if (cursor === undefined) return undefined
  const [, of, time = '', id = ''] = /^(\S+) (\d{1,15}) (.+)$/s.exec(cursor) ?? []
  if (of !== list || !ids.test(id)) throw new ApiError('INVALID_QUERY', 'cursor: expected the cursor of a page')
  return { atMS: Number(time), id }
}

/**
 * Cuts a list that was read with one extra entry to a page.
 * @returns its entries, and the last one if another page follows
 */
export function pageOf<T>(oneMore: readonly T[], limit: number): { shown: T[]; last: T | undefined } {
  const shown = oneMore.slice(0, limit)
  return { shown, last: oneMore.length > limit ? shown.at(-1) : undefined }
}

/** A page as shown by the API, with a cursor unless it is the last. */
export function toPage<T, V>(
  list: List,
  oneMore: readonly T[],
  limit: number,
  { view, positionOf }: { view: (one: T) => V; positionOf: (one: T) => PagePosition },
): { data: V[]; cursor?: string } {
  const { shown, last } = pageOf(oneMore, limit)
  return { data: shown.map(view), ...(last && { cursor: toCursor(list, positionOf(last)) }) }
}

/** Position of an entry in a list ordered by creation time. */
export function positionByCreation({ createdAtMS, id }: { createdAtMS: number; id: string }): PagePosition {
  return { atMS: createdAtMS, id }
}
