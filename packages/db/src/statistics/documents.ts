import type { Long } from 'mongodb'
import type { Bucket } from './buckets.ts'

/**
 * A user active in a bucket. The minutes are bits of an hour's document: a document per minute would make 4,320 for a user
 * connected for three days.
 */
export interface StatsUserDoc extends Bucket {
  user: string
  /** Of an hour: a bit for each minute in which the user was active. */
  minutes?: Long
}

/**
 * A room with messages in a bucket. Seqs have no gaps and follow the time, so the first and the last give the number of messages,
 * even if events repeat or arrive in another order.
 */
export interface StatsRoomDoc extends Bucket {
  room: string
  firstSeq: number
  lastSeq: number
}

/** The peak of connections in a bucket. */
export interface StatsPeakDoc extends Bucket {
  peak: number
}
