import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { isoPattern } from '@parley/contracts/time-parameter'

const iso = new RegExp(`^${isoPattern}$`)

/**
 * Parses ISO-8601; returns an invalid date for anything else, such as February 30. Without an offset the time is UTC,
 * whatever the time zone of this machine.
 */
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

/**
 * Parses ISO-8601 or milliseconds since 1970, and returns milliseconds.
 * @throws ApiError INVALID_QUERY naming the parameter
 */
export function parseTime(name: string, text: string): number {
  // A `+` that was not percent-encoded in the URL arrives as a space.
  const timeMS = /^-?\d+$/.test(text) ? Number(text) : isoDate(text.replace(' ', '+')).getTime()
  if (!Number.isFinite(timeMS) || Math.abs(timeMS) > 8.64e15) {
    throw new ApiError('INVALID_QUERY', `${name}: expected an ISO-8601 time or milliseconds`)
  }
  return timeMS
}

/** The period from `since` to `until`, both inclusive; unbounded if they are missing. @throws ApiError INVALID_QUERY */
export function parsePeriod({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  return {
    sinceMS: since === undefined ? 0 : parseTime('since', since),
    untilMS: until === undefined ? Number.MAX_SAFE_INTEGER : parseTime('until', until),
  }
}

const yearMS = 366 * 24 * 60 * 60 * 1_000

/** @throws ApiError INVALID_REQUEST if a time is past, too far away or missing */
export function requireWithinYear(field: string, timeMS = 0): void {
  const now = clock.now()
  if (timeMS > now && timeMS <= now + yearMS) return
  throw new ApiError('INVALID_REQUEST', `${field}: expected a future time within a year, in Unix milliseconds`)
}
