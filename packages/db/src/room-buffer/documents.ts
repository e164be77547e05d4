import type { MessageDoc } from '../messages/documents.ts'

/** The buffer of a room: its newest messages, in the room's document. */
export interface RoomBuffer {
  /** In the order of seq. A message that is flushed too counts as it is there. */
  buffer?: BufferedMessage[]
  /**
   * Send time of the first message, by the clock of the appending process, or to the second by its ID: the room's clock
   * (`clockMS`) may be far ahead. Absent with an empty buffer.
   */
  bufferSinceMS?: number
  /** Every message up to this seq is flushed, and may have changed since. */
  flushedSeq?: number
  /** Size of the buffer in bytes, or more. */
  bufferBytes?: number
}

/**
 * A new message in the document of its room until it is flushed (flush.ts), without the fields that the room has. Its
 * updated time is its creation time.
 */
export interface BufferedMessage extends Omit<MessageDoc, 'app' | 'room' | 'roomKey' | 'updatedAtMS'> {
  /** Its idempotency key, as the sender gave it. */
  sendKey?: string
  /** Stored in `messages`, with its content, from the beginning. */
  stored?: true
}
