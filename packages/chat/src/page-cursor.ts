import { ApiError } from '@parley/contracts/errors'
import type { PagePosition } from '@parley/db/find-page'

const objectID = /^[0-9a-f]{24}$/
/** Format of message IDs: imported messages keep theirs. */
export const anyMessageID = /^.{1,128}$/s

/** A cursor names its list, so that no other list accepts it. */
type List =
  | ('audit' | 'bookmarks' | 'calls' | 'devices' | 'holds' | 'jobs' | 'members' | 'operators' | 'reminders' | 'reports')
  | ('scheduled' | 'search' | 'threads' | 'timeline')
  | `${'rooms' | 'users'}.${string}`

/** Any number of digits that JavaScript can count to. */
export const digits = /^\d{1,15}$/
export const anyText = /^[^]+$/
export const maybeEmpty = /^[^]*$/

/** A cursor with the parts of a position. */
export function encodeCursor(list: List, ...parts: (string | number)[]): string {
  return Buffer.from(JSON.stringify([list, ...parts.map(String)])).toString('base64url')
}

/**
 * Returns the parts of a cursor of the same list.
 * @param forms of each part
 * @throws ApiError INVALID_QUERY
 */
export function decodeCursor(list: List, cursor: string, ...forms: RegExp[]): string[] {
  const [of, ...parts] = parsed(Buffer.from(cursor, 'base64url').toString())
  const isValid = parts.length === forms.length && parts.every((part, i) => forms[i]?.test(part))
  if (of !== list || !isValid) throw new ApiError('INVALID_QUERY', 'cursor: expected the cursor of a page')
  return parts
}

function parsed(text: string): string[] {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.map(String) : []
  } catch {
    return []
  }
}

export function toCursor(list: List, { atMS, id }: PagePosition): string {
  return encodeCursor(list, atMS, id)
}

/**
 * Parses a cursor of `toCursor` for the same list; undefined if there is none.
 * @param ids format of the list's IDs
 * @throws ApiError INVALID_QUERY
 */
export function parseCursor(list: List, cursor: string | undefined, ids = objectID): PagePosition | undefined {
  if (cursor === undefined) return undefined
  const [time = '', id = ''] = decodeCursor(list, cursor, digits, ids)
  return { atMS: Number(time), id }
}

/** Cuts a list that was read with one extra entry to a page. `last` is set if another page follows. */
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
