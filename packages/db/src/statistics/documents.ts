import type { Long } from 'mongodb'
import type { Bucket } from './buckets.ts'

/**
 * A user active in a bucket. Minutes are bits of the hour's document: one document per minute would be 4,320 for a
 * user connected for three days.
 */
export interface StatsUserDoc extends Bucket {
  user: string
  /** For an hour: a bit per minute in which the user was active. */
  minutes?: Long
}

/** A room with messages in a bucket. Seqs have no gaps, so first and last give their number, even if repeated. */
export interface StatsRoomDoc extends Bucket {
  room: string
  firstSeq: number
  lastSeq: number
}

export interface StatsPeakDoc extends Bucket {
  peak: number
}
