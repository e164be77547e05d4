import { clock } from '@parley/async/clock'
import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import { isoPattern } from '@parley/contracts/time-parameter'

const iso = new RegExp(`^${isoPattern}$`)

/** Parses ISO-8601, as UTC without an offset. Returns an invalid date for anything else, such as February 30. */
export function isoDate(text: string): Date {
  const [day = '', time] = text.split('T')
  const midnight = new Date(day)
  // JavaScript reads February 30 as March 2.
  if (!iso.test(text) || midnight.getUTCDate() !== Number(day.slice(-2))) return new Date(Number.NaN)
  return time === undefined ? midnight : new Date(`${day}T${withOffset(time)}`)
}

/** JavaScript accepts an offset only with minutes and a colon. */
function withOffset(time: string): string {
  if (time.endsWith('Z')) return time
  const [, clock = '', hours, minutes = '00'] = /^(.*?)(?:([+-]\d\d):?(\d\d)?)?$/.exec(time) ?? []
  return hours === undefined ? `${clock}Z` : `${clock}${hours}:${minutes}`
}

/** Parses ISO-8601 or milliseconds since 1970, and returns milliseconds. @throws ApiError naming the parameter */
export function parseTime(name: string, text: string, code: ErrorCode = 'INVALID_QUERY'): number {
  // A `+` that was not percent-encoded in the URL arrives as a space.
  const timeMS = /^-?\d+$/.test(text) ? Number(text) : isoDate(text.replace(' ', '+')).getTime()
  if (!Number.isFinite(timeMS) || Math.abs(timeMS) > 8.64e15) {
    throw new ApiError(code, `${name}: expected an ISO-8601 time or milliseconds`)
  }
  return timeMS
}

export interface Period {
  sinceMS: number
  untilMS: number
}

/**
 * The period from `since` to `until`, both inclusive.
 * @param firstMS the default of `since`
 * @throws ApiError if a time is invalid, or `until` is before `since`
 */
export function parsePeriod(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  { firstMS = 0, code = 'INVALID_QUERY' }: { firstMS?: number; code?: ErrorCode } = {},
): Period {
  const sinceMS = since === undefined ? firstMS : parseTime('since', since, code)
  const untilMS = until === undefined ? Number.MAX_SAFE_INTEGER : parseTime('until', until, code)
  if (since !== undefined && untilMS < sinceMS) throw new ApiError(code, 'until: is before since')
  return { sinceMS, untilMS }
}

const yearMS = 366 * 24 * 60 * 60 * 1_000

/** @throws ApiError INVALID_REQUEST if a time is past, too far away or missing */
export function requireWithinYear(field: string, timeMS = 0): void {
  const now = clock.now()
  if (timeMS > now && timeMS <= now + yearMS) return
  throw new ApiError('INVALID_REQUEST', `${field}: expected a future time within a year, in Unix milliseconds`)
}
