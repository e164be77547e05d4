import type { Message } from '../generated/types.ts'
import type { Conversation } from '../rooms/conversation.ts'
import type { RoomMessage, SendOptions } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'

/** The thread about a message of a room. Its messages are edited, recalled, reacted to and deleted by the room's calls. */
export interface Thread extends Conversation {
  /** ID of the message that it is about. */
  readonly id: string
  /** That message; undefined until it is known. */
  readonly root: Store<RoomMessage | undefined>
  /** The user's unread count: exact once it is open, 0 outside of the thread. */
  readonly unread: Store<number>

  /** Loads the latest messages, or those around one. Waits for the first login; fails when the thread is none the user may read. */
  open(options?: { limit?: number; around?: string }): Promise<void>
  /** As a room's: shown at once, queued and repeated. `replyTo`: a message of the thread, by default the one it is about. */
  send(message: unknown, options?: SendOptions): Promise<Message>
  /** The user has read up to a message of the thread, by default the latest one. */
  markRead(messageID?: string): void
}
