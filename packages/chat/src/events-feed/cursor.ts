import { maxStreams } from '@parley/contracts/bus/partitions'
import { ApiError } from '@parley/contracts/errors'

/** Positions in the streams, and a time at which all existed, which tells after a loss what the reader may lack. */
export interface FeedPosition {
  /** By stream index; 0 or missing before the first message. */
  seqs: readonly number[]
  timeMS: number
}

export function toCursor({ seqs, timeMS }: FeedPosition): string {
  return `${seqs.map((seq) => seq.toString(36)).join('.')}-${timeMS.toString(36)}`
}

/** @throws ApiError INVALID_QUERY */
export function parseCursor(cursor: string): FeedPosition {
  const [, positions = '', time = ''] = /^([0-9a-z]{1,11}(?:\.[0-9a-z]{1,11})*)-([0-9a-z]{1,11})$/.exec(cursor) ?? []
  const seqs = positions.split('.').map((seq) => Number.parseInt(seq, 36))
  const timeMS = Number.parseInt(time, 36)
  if (![...seqs, timeMS].every(Number.isSafeInteger) || seqs.length > maxStreams) {
    throw new ApiError('INVALID_QUERY', 'after: expected the cursor of an event or of a response')
  }
  return { seqs, timeMS }
}

/** Whether a position is at or past another in every stream. */
export function reaches({ seqs }: FeedPosition, other: FeedPosition): boolean {
  return other.seqs.every((seq, stream) => (seqs[stream] ?? 0) >= seq)
}

/** Combines the later positions of both in each stream. */
export function later(one: FeedPosition, other: FeedPosition): FeedPosition {
  const [long, short] = one.seqs.length < other.seqs.length ? [other, one] : [one, other]
  const seqs = long.seqs.map((seq, stream) => Math.max(seq, short.seqs[stream] ?? 0))
  return { seqs, timeMS: Math.max(one.timeMS, other.timeMS) }
}

export function movedTo(
  { seqs }: FeedPosition,
  { stream, seq, timeMS }: { stream: number; seq: number; timeMS: number },
): FeedPosition {
  const moved = Array.from({ length: Math.max(seqs.length, stream + 1) }, (_, index) => seqs[index] ?? 0)
  moved[stream] = seq
  return { seqs: moved, timeMS }
}

/** The error for a cursor older than the kept events. */
export function cursorGone(oldest: FeedPosition): ApiError {
  const details = { oldest: toCursor(oldest) }
  return new ApiError('CURSOR_GONE', `after: the oldest cursor from which events are kept is ${details.oldest}`, {
    details,
  })
}
