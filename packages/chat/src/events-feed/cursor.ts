import { ApiError } from '@parley/contracts/errors'

/** A position in the stream of all apps, and the time at which the stream was there. */
export interface FeedPosition {
  seq: number
  timeMS: number
}

export function toCursor({ seq, timeMS }: FeedPosition): string {
  return `${seq.toString(36)}-${timeMS.toString(36)}`
}

/** @throws ApiError INVALID_QUERY */
export function parseCursor(cursor: string): FeedPosition {
  const [, seq = '', time = ''] = /^([0-9a-z]{1,11})-([0-9a-z]{1,11})$/.exec(cursor) ?? []
  const place = { seq: Number.parseInt(seq, 36), timeMS: Number.parseInt(time, 36) }
  if (!Number.isSafeInteger(place.seq) || !Number.isSafeInteger(place.timeMS)) {
    throw new ApiError('INVALID_QUERY', 'after: expected the cursor of an event or of a response')
  }
  return place
}

/** The cursor is older than the kept events. */
export function cursorGone(oldest: FeedPosition): ApiError {
  const details = { oldest: toCursor(oldest) }
  return new ApiError('CURSOR_GONE', `after: the oldest cursor from which events are kept is ${details.oldest}`, {
    details,
  })
}
