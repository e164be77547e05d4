import type { Long } from 'mongodb'
import type { Bucket } from './buckets.ts'

/**
 * A user active in a bucket. Their minutes are bits of the document of their hour: a document per minute would be 4,320
 * for a user connected for three days.
 */
export interface StatsUserDoc extends Bucket {
  user: string
  /** Of an hour: the bit of each minute in which they were active. */
  minutes?: Long
}

/**
 * A room with messages in a bucket. Their seqs have no holes and follow the time, so the first and the last say how many
 * there were, even when events repeat or arrive in another order.
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
