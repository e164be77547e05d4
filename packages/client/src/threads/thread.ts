import type { Message } from '../generated/types.ts'
import type { Conversation } from '../rooms/conversation.ts'
import type { RoomMessage, SendOptions } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'

/** The thread about a message of a room. Edit, recall, react to and delete its messages with the room's calls. */
export interface Thread extends Conversation {
  /** ID of the message that the thread is about. */
  readonly id: string
  /** The message that the thread is about; undefined until known. */
  readonly root: Store<RoomMessage | undefined>
  /** The user's unread count, exact once the thread is open; 0 for users who do not take part. */
  readonly unread: Store<number>

  /** Loads the latest messages, or those around one, after the first login. Rejects if the user may not read them. */
  open(options?: { limit?: number; around?: string }): Promise<void>
  /** Like `Room.send`. `replyTo` is a message of the thread, by default its root. */
  send(message: unknown, options?: SendOptions): Promise<Message>
  /** Marks the thread as read up to a message, by default the latest. */
  markRead(messageID?: string): void
}
