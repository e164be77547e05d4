import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '@parley/contracts/errors'
import { takeBody } from '@parley/contracts/lenient'
import { type PrefFilter, prefFilter } from '@parley/contracts/resources/room-pref'
import type { MembershipDoc } from '@parley/db/rooms/documents'
import { toPrefView } from '../views/room.ts'

/**
 * Parses the `pref` filter of GET /rooms: a JSON object of preference fields that must all match.
 * @throws ApiError INVALID_QUERY
 */
export function parsePrefFilter(text: string): PrefFilter {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new ApiError('INVALID_QUERY', 'pref: expected a JSON object', { cause: error })
  }
  const { value, ignored } = takeBody(prefFilter, json)
  // Without an unknown field the filter would match too many rooms.
  const parsed = prefFilter.safeParse(ignored.length > 0 ? json : value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ApiError('INVALID_QUERY', `${['pref', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`)
}

/** Tags match if the room has all of the filter's tags; any other field if it is equal. */
export function matchesPref(membership: Pick<MembershipDoc, 'pref'>, filter: PrefFilter): boolean {
  const pref = toPrefView(membership)
  const { tags, ...others } = filter
  const wanted = tags === undefined ? [] : [tags].flat()
  return (
    wanted.every((tag) => pref.tags.includes(tag)) &&
    Object.entries(others).every(([name, value]) => isDeepStrictEqual(pref[name as keyof typeof pref], value))
  )
}
