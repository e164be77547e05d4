import type { MessageDoc } from '../messages/documents.ts'

/**
 * A bucket: the places of a fixed stretch of a room's seqs, with those of its messages that are small and as they were
 * sent. All others have documents of their own in `messages`.
 */
export interface MessageBucketDoc {
  /** The roomKey and the bucket's number: a room's buckets lie in the order of seq. */
  _id: string
  app: string
  room: string
  roomKey: string
  number: number
  /** Times of the first and the last message that were ever in it. */
  firstMS: number
  lastMS: number
  /** Senders of the messages that were ever in it. */
  senders: string[]
  /** `idNumber` of the messages that were ever in it: what finds them by ID, in a third of the space of their IDs. */
  idNumbers: number[]
  /** Until then flushes leave it as it is: a transaction that has lost it to flushes changes it. */
  heldUntil?: Date
  /** In no order. */
  messages: (BucketedMessage | VacatedPlace)[]
}

/** A message without the fields that its bucket has. Its updated time is its creation time. */
export type BucketedMessage = Omit<MessageDoc, 'app' | 'room' | 'roomKey' | 'updatedAtMS'>

/** The place of a message that moved to `messages`: a repeated flush must not put it back. */
interface VacatedPlace {
  seq: number
  _id?: never
}
