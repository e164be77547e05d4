import type { PagePosition, TimePage } from '@parley/db/find-page'
import { anyText, decodeCursor, digits, encodeCursor } from '../page-cursor.ts'

export interface Positioned<T> extends PagePosition {
  record: T
}

/** A list of records, latest first; records with the same time are in descending order of their IDs. */
export interface Source<T> {
  /** May return more than requested, in any order. */
  read(page: TimePage): Promise<Positioned<T>[]>
}

/** A page of several sources, latest first. Records with the same time are in the order of the sources. */
interface MergedPage<T> {
  records: T[]
  cursor?: string
}

interface Cursor extends PagePosition {
  rank: number
}

/**
 * Reads a page of all sources. Each source is asked for one page, so the cost does not grow with their sizes.
 * @throws ApiError INVALID_QUERY for an invalid cursor
 */
export async function mergeSources<T>(
  sources: readonly Source<T>[],
  { sinceMS, untilMS, cursor, limit }: { sinceMS: number; untilMS: number; cursor?: string | undefined; limit: number },
): Promise<MergedPage<T>> {
  const after = cursor === undefined ? undefined : readCursor(cursor, sources.length)
  const lists = await Promise.all(
    sources.map(async (source, rank) => {
      const page = { sinceMS, ...boundsFor(after, rank, untilMS), limit: limit + 1 }
      const read = page.untilMS < sinceMS ? [] : await source.read(page)
      return read
        .filter((one) => one.atMS >= sinceMS && one.atMS <= page.untilMS && isBeyond(one, page.before))
        .sort(latestFirst)
        .slice(0, limit + 1)
        .map((one) => Object.assign(one, { rank }))
    }),
  )
  // Sorting is stable, so records of one source keep their order.
  const merged = lists.flat().sort((a, b) => b.atMS - a.atMS || a.rank - b.rank)
  const shown = merged.slice(0, limit)
  const last = merged.length > limit ? shown.at(-1) : undefined
  return {
    records: shown.map(({ record }) => record),
    ...(last && { cursor: encodeCursor('timeline', last.atMS, last.rank, last.id) }),
  }
}

function boundsFor(after: Cursor | undefined, rank: number, untilMS: number): Pick<TimePage, 'untilMS' | 'before'> {
  if (!after) return { untilMS }
  if (rank === after.rank) return { untilMS, before: after }
  // At the cursor's time, earlier sources have already been shown.
  return { untilMS: Math.min(untilMS, rank < after.rank ? after.atMS - 1 : after.atMS) }
}

const latestFirst = (a: PagePosition, b: PagePosition) => b.atMS - a.atMS || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0)

const isBeyond = (one: PagePosition, position: PagePosition | undefined) => !position || latestFirst(position, one) < 0

function readCursor(cursor: string, sources: number): Cursor {
  const ranks = new RegExp(`^(${Array.from({ length: sources }, (_, rank) => rank).join('|')})$`)
  const [atMS, rank, id = ''] = decodeCursor('timeline', cursor, digits, ranks, anyText)
  return { atMS: Number(atMS), rank: Number(rank), id }
}
