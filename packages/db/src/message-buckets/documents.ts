import type { MessageDoc } from '../messages/documents.ts'

/** A fixed range of a room's seqs, with its small, unchanged messages. Others have documents in `messages`. */
export interface MessageBucketDoc {
  /** roomKey and padded bucket number, so that a room's buckets sort by seq. */
  _id: string
  app: string
  room: string
  roomKey: string
  number: number
  /** Times of the first and last message that the bucket ever had. */
  firstMS: number
  lastMS: number
  /** Senders of all messages that the bucket ever had. */
  senders: string[]
  /** Finds the bucket by message ID: the key of its own IDs, and each ID that does not lead to this bucket. */
  idKeys: string[]
  /** Unix minutes in which the IDs of all messages that the bucket ever had were made, as far as they tell. */
  minutes: number[]
  /** Flushes skip the bucket until this time, for a transaction that conflicted with one. */
  heldUntil?: Date
  /** Unordered. */
  messages: (BucketedMessage | VacatedPlace)[]
}

/** A message without the fields of its bucket. `updatedAtMS` equals `createdAtMS`. */
export type BucketedMessage = Omit<MessageDoc, 'app' | 'room' | 'roomKey' | 'updatedAtMS'>

/** The place of a message that moved to `messages`, so that a repeated flush does not put it back. */
interface VacatedPlace {
  seq: number
  _id?: never
}
