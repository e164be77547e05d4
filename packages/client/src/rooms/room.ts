import type { ListMembersResult, Message, NotificationsOfRoom, SetRoomPrefInput } from '../generated/types.ts'
import type { SendOptions } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'
import type { Thread } from '../threads/thread.ts'
import type { Conversation } from './conversation.ts'
import type { RoomInfo } from './listed-room.ts'
import type { Reader } from './member-markers.ts'
import type { LiveText } from './room-live.ts'

/** A room of the user: its state and the user's actions. Calls fail with a ParleyError. */
export interface Room extends Conversation {
  readonly id: string
  /** Name, members, unread, preferences, latest message; undefined while it is not one of the user's rooms. */
  readonly info: Store<RoomInfo | undefined>
  /** Other typing members. */
  readonly typing: Store<readonly LiveText[]>
  /** Robots that are writing, with the text so far. */
  readonly streaming: Store<readonly LiveText[]>
  /** Up to which message each other member has read, as far as known. */
  readonly readers: Store<readonly Reader[]>
  /** Up to which seq messages have reached each other member, as far as known. */
  readonly delivered: Store<ReadonlyMap<string, number>>
  /** The latest 50 pinned messages, the newest first, once the room is open. */
  readonly pinned: Store<readonly Message[]>
  /** The first message that was unread when the room was opened: where "new" begins. */
  readonly firstUnread: Store<string | undefined>

  /**
   * Loads the latest messages, back to the first unread one; or those around a message. The loaded range has no holes.
   * Waits for the first login; fails when that is refused, or the user is not in the room. Transient errors are retried
   * while there is a connection; without one it fails, and may be called again after the next login.
   */
  open(options?: { limit?: number; around?: string }): Promise<void>

  /**
   * Shows the message at once and sends it as soon as there is a connection, after earlier sends of this room. Settles
   * when Parley has it; fails when it is refused. Awaiting it is optional: `messages` shows its state.
   */
  send(message: unknown, options?: SendOptions): Promise<Message>
  /** The thread about a message of the room: the same object each time. */
  thread(messageID: string): Thread
  /** Sends a failed message again, by its `key`. */
  retry(key: string): Promise<Message>
  /** Drops a failed or queued message, by its `key`. */
  discard(key: string): void
  /**
   * Shows the others that the user is typing: call it at every key, it is emitted every 2 s at most. An empty text ends it
   * at once.
   * @param text the text so far; without one, the others see no text
   */
  typed(text?: string): void
  /** The user has read up to a message, by default the latest one. */
  markRead(messageID?: string): void
  /** Known readers of a loaded message, without its sender. */
  readBy(messageID: string): string[]
  /** Members reached by a loaded message, as far as known; readers included, without its sender. */
  deliveredTo(messageID: string): string[]

  edit(messageID: string, message: unknown, options?: { mentions?: string[] }): Promise<void>
  recall(messageID: string): Promise<void>
  react(messageID: string, reaction: string): Promise<void>
  unreact(messageID: string, reaction: string): Promise<void>
  pin(messageID: string): Promise<void>
  unpin(messageID: string): Promise<void>
  deleteForMe(messageIDs: string[]): Promise<void>
  deleteAllForMe(): Promise<void>
  /** `_all`: every message of the room. */
  deleteForAll(messageID: string): Promise<void>

  setPref(pref: Omit<SetRoomPrefInput, 'room'>): Promise<void>
  mute(): Promise<void>
  unmute(): Promise<void>
  /** Replaces the user's notifications of the room: which messages are pushed, and a mute for a time. `info` has them. */
  setNotifications(settings: NotificationsOfRoom): Promise<void>
  members(page?: { skip?: number; limit?: number }): Promise<ListMembersResult>
  leave(): Promise<void>
}
