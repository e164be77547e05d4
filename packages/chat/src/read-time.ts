import { ApiError } from '@parley/contracts/errors'
import { isoPattern } from '@parley/contracts/time-parameter'

const iso = new RegExp(`^${isoPattern}$`)

/**
 * ISO-8601 as a date; an invalid date for anything else, such as the 30th of February. Without an offset it is UTC, in
 * any time zone of this machine.
 */
export function isoDate(text: string): Date {
  const [day = '', time] = text.split('T')
  const midnight = new Date(day)
  // JavaScript takes the 30th of February for the 2nd of March.
  if (!iso.test(text) || midnight.getUTCDate() !== Number(day.slice(-2))) return new Date(Number.NaN)
  return time === undefined ? midnight : new Date(`${day}T${withOffset(time)}`)
}

/** JavaScript reads an offset only with its minutes and a colon. */
function withOffset(time: string): string {
  if (time.endsWith('Z')) return time
  const [, clock = '', hours, minutes = '00'] = /^(.*?)(?:([+-]\d\d):?(\d\d)?)?$/.exec(time) ?? []
  return hours === undefined ? `${clock}Z` : `${clock}${hours}:${minutes}`
}

/**
 * A time given as ISO-8601 or as milliseconds since 1970, in milliseconds.
 * @throws ApiError INVALID_QUERY naming the parameter
 */
export function parseTime(name: string, text: string): number {
  // A '+' of an offset that was not percent-encoded in the URL arrives as a space.
  const timeMS = /^-?\d+$/.test(text) ? Number(text) : isoDate(text.replace(' ', '+')).getTime()
  if (!Number.isFinite(timeMS) || Math.abs(timeMS) > 8.64e15) {
    throw new ApiError('INVALID_QUERY', `${name}: expected an ISO-8601 time or milliseconds`)
  }
  return timeMS
}

/** The time between `since` and `until`, both included; all of it without them. @throws ApiError INVALID_QUERY */
export function parsePeriod({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  return {
    sinceMS: since === undefined ? 0 : parseTime('since', since),
    untilMS: until === undefined ? Number.MAX_SAFE_INTEGER : parseTime('until', until),
  }
}
