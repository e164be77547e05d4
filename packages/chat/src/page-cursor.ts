import { ApiError } from '@parley/contracts/errors'
import type { PagePlace } from '@parley/db/page-place'

const objectID = /^[0-9a-f]{24}$/

export function toCursor({ atMS, id }: PagePlace): string {
  return `${atMS} ${id}`
}

/**
 * The position named by a cursor of `toCursor`; undefined without one.
 * @param ids the format of the list's IDs
 * @throws ApiError INVALID_QUERY
 */
export function parseCursor(cursor: string | undefined, ids = objectID): PagePlace | undefined {
  if (cursor === undefined) return undefined
  const [, time = '', id = ''] = /^(\d{1,15}) (.+)$/s.exec(cursor) ?? []
  if (!ids.test(id)) throw new ApiError('INVALID_QUERY', 'cursor: expected the cursor of a page')
  return { atMS: Number(time), id }
}

/**
 * The page of a list of which one entry more was read than it has.
 * @returns its entries, and the last of them where there is a page after it
 */
export function pageOf<T>(oneMore: readonly T[], limit: number): { shown: T[]; last: T | undefined } {
  const shown = oneMore.slice(0, limit)
  return { shown, last: oneMore.length > limit ? shown.at(-1) : undefined }
}

/** Such a page as the API shows it; its cursor is absent at the end of the list. */
export function toPage<T, V>(
  oneMore: readonly T[],
  limit: number,
  { view, placeOf }: { view: (one: T) => V; placeOf: (one: T) => PagePlace },
): { data: V[]; cursor?: string } {
  const { shown, last } = pageOf(oneMore, limit)
  return { data: shown.map(view), ...(last && { cursor: toCursor(placeOf(last)) }) }
}

/** The place of an entry in a list by the time at which it was made. */
export function placeByCreation({ createdAtMS, id }: { createdAtMS: number; id: string }): PagePlace {
  return { atMS: createdAtMS, id }
}
