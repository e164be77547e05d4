import type { MessageDoc } from '../messages/documents.ts'

export interface RoomBuffer {
  /** Ordered by seq. If a message is flushed too, the flushed one is current. */
  buffer?: BufferedMessage[]
  /** Send time of the first message, by the appending process's clock. `clockMS` can be far ahead. Absent if empty. */
  bufferSinceMS?: number
  /** Every message up to this seq is flushed, and may have changed since. */
  flushedSeq?: number
  /** Upper bound of the buffer's size in bytes. */
  bufferBytes?: number
}

/** A message in its room's document until it is flushed, without the room's fields. `updatedAtMS` is `createdAtMS`. */
export interface BufferedMessage extends Omit<MessageDoc, 'app' | 'room' | 'roomKey' | 'updatedAtMS'> {
  /** The sender's idempotency key. */
  sendKey?: string
  /** The message, with its content, is already in `messages`. */
  stored?: true
}
