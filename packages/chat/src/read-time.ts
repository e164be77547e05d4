import { ApiError } from '@parley/contracts/errors'

const iso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** ISO-8601 as a date. Without an offset it is UTC, whatever the time zone of this machine. */
export function isoDate(text: string): Date {
  return new Date(/T[\d:.]+$/.test(text) ? `${text}Z` : text)
}

/**
 * A time given as ISO-8601 or as milliseconds since 1970, in milliseconds.
 * @throws ApiError INVALID_QUERY naming the parameter
 */
export function parseTime(name: string, text: string): number {
  // A '+' of an offset that was not percent-encoded in the URL arrives as a space.
  const timeMS = /^-?\d+$/.test(text)
    ? Number(text)
    : iso.test(text.replace(' ', '+'))
      ? isoDate(text.replace(' ', '+')).getTime()
      : Number.NaN
  if (!Number.isFinite(timeMS) || Math.abs(timeMS) > 8.64e15) {
    throw new ApiError('INVALID_QUERY', `${name}: expected an ISO-8601 time or milliseconds`)
  }
  return timeMS
}
