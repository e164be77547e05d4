import type { ListMembersResult, Message, NotificationsOfRoom, SetRoomPrefInput } from '../generated/types.ts'
import type { SendOptions } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'
import type { Thread } from '../threads/thread.ts'
import type { Conversation } from './conversation.ts'
import type { RoomInfo } from './listed-room.ts'
import type { Reader } from './member-markers.ts'
import type { LiveText } from './room-live.ts'

/** A room: its state and the user's actions. Calls reject with a ParleyError. */
export interface Room extends Conversation {
  readonly id: string
  /** Name, members, unread count, preferences and latest message. Undefined while the user is not in the room. */
  readonly info: Store<RoomInfo | undefined>
  /** Other members who are typing. */
  readonly typing: Store<readonly LiveText[]>
  /** Robots that are writing, with the text so far. */
  readonly streaming: Store<readonly LiveText[]>
  /** The last message that each other member is known to have read. */
  readonly readers: Store<readonly Reader[]>
  /** The highest seq known to be delivered to each other member. */
  readonly delivered: Store<ReadonlyMap<string, number>>
  /** The latest 50 pinned messages, newest first, once the room is open. */
  readonly pinned: Store<readonly Message[]>
  /** ID of the first message that was unread when the room was opened, where "new" begins. */
  readonly firstUnread: Store<string | undefined>

  /**
   * Loads the latest messages, back to the first unread one, or those around a message. The loaded range has no gaps.
   * Waits for the first login. Rejects if that is refused or the user is not in the room. Transient errors are retried
   * while connected. Without a connection it rejects; call it again after the next login.
   */
  open(options?: { limit?: number; around?: string }): Promise<void>

  /**
   * Shows the message at once, and sends it once there is a connection, after earlier sends of this room. Resolves when
   * Parley has stored it; rejects when it is refused. Awaiting it is optional: `messages` shows its state.
   */
  send(message: unknown, options?: SendOptions): Promise<Message>
  /** Returns the thread about a message of the room: the same object each time. */
  thread(messageID: string): Thread
  /** Retries a failed message, by its `key`. */
  retry(key: string): Promise<Message>
  /** Drops a failed or queued message, by its `key`. */
  discard(key: string): void
  /**
   * Shows other members that the user is typing. Call it on every key: it emits at most every 2 s. An empty text ends it
   * at once.
   * @param text the text so far; without it, others see only that the user is typing
   */
  typed(text?: string): void
  /** Marks messages as read up to one, by default the latest. */
  markRead(messageID?: string): void
  /** Known readers of a loaded message, except its sender. */
  readBy(messageID: string): string[]
  /** Members known to have received a loaded message, including readers, except its sender. */
  deliveredTo(messageID: string): string[]

  edit(messageID: string, message: unknown, options?: { mentions?: string[] }): Promise<void>
  recall(messageID: string): Promise<void>
  react(messageID: string, reaction: string): Promise<void>
  unreact(messageID: string, reaction: string): Promise<void>
  pin(messageID: string): Promise<void>
  unpin(messageID: string): Promise<void>
  deleteForMe(messageIDs: string[]): Promise<void>
  deleteAllForMe(): Promise<void>
  /** `_all` deletes every message of the room. */
  deleteForAll(messageID: string): Promise<void>

  setPref(pref: Omit<SetRoomPrefInput, 'room'>): Promise<void>
  mute(): Promise<void>
  unmute(): Promise<void>
  /**
   * Replaces the user's notification settings of the room: which messages are pushed, and a temporary mute. `info` has
   * them.
   */
  setNotifications(settings: NotificationsOfRoom): Promise<void>
  members(page?: { skip?: number; limit?: number }): Promise<ListMembersResult>
  leave(): Promise<void>
}
