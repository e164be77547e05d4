import type { UserCalls } from '../calls/user-calls.ts'
import type { Message, ServerEvents } from '../generated/types.ts'
import { type Rereading, rereading } from '../rereading.ts'
import type { Outbox } from '../sending/outbox.ts'
import type { SendOptions } from '../sending/pending-send.ts'
import { createStore, type Store } from '../store.ts'
import { ThreadHandle } from '../threads/thread-handle.ts'
import { ConversationHandle } from './conversation-handle.ts'
import { loadFirstUnread, type Unread } from './first-unread.ts'
import type { RoomInfo } from './listed-room.ts'
import { createMemberMarkers, type MemberMarkers } from './member-markers.ts'
import { createPins, type Pins } from './pins.ts'
import { quoteOf } from './quotes.ts'
import type { Room } from './room.ts'
import type { RoomActions } from './room-actions.ts'
import type { RoomList } from './room-list.ts'
import { createLiveTexts, throttledTyping } from './room-live.ts'
import { StreamingTexts } from './streaming-texts.ts'
import type { Page } from './timeline.ts'

export interface RoomParts {
  calls: UserCalls
  rooms: RoomList
  outbox: Outbox
  me: () => string | undefined
  /** The user as the sender of their messages. */
  sender: () => Message['sender']
  isConnected: () => boolean
  /** The cached messages of a room. */
  cached: (roomID: string) => Promise<Page | undefined>
  /** Settles when the user is known. */
  whenLoggedIn: () => Promise<void>
  /** Settles when the user and their rooms are known. */
  whenReady: () => Promise<void>
  emit: (event: 'typing' | 'lastRead', payload: object) => Promise<unknown>
  /** Called when this device has reported a thread's read marker. */
  threadRead: (read: ServerEvents['threadLastRead']) => void
}

/** Longer than the pause between typing emits. */
const typingEndsMS = 6_000
const streamingEndsMS = 60_000

/** A room that keeps itself up to date. */
export class RoomHandle extends ConversationHandle implements Omit<Room, keyof RoomActions> {
  readonly id: string
  readonly #parts: RoomParts
  readonly #info = createStore<RoomInfo | undefined>(undefined)
  readonly info: Store<RoomInfo | undefined> = this.#info
  readonly #firstUnread = createStore<string | undefined>(undefined)
  readonly firstUnread: Store<string | undefined> = this.#firstUnread
  readonly #typing = createLiveTexts(typingEndsMS)
  readonly typing = this.#typing.store
  readonly #streaming = new StreamingTexts(streamingEndsMS)
  readonly streaming = this.#streaming.store
  readonly #markers: MemberMarkers
  readonly readers
  readonly delivered
  readonly readBy
  readonly deliveredTo
  readonly #pins: Pins
  readonly pinned
  /** Threads that the app has requested or whose root is loaded. */
  readonly #threads = new Map<string, ThreadHandle>()
  readonly #typed: ReturnType<typeof throttledTyping>
  /** Rereads messages that may be stale: from the cache, or after the user was removed and added again. */
  readonly #cameBack: Rereading
  #wasListed = false
  #begun: Promise<void> | undefined
  #restoring: Promise<void> | undefined
  #unreadAtFirst: Unread | undefined

  constructor(id: string, parts: RoomParts) {
    const { calls, rooms, emit } = parts
    super(parts, {
      ...{ roomID: id, rooms },
      read: (query) => calls.listMessages({ id, timeRangeField: 'createdAt', ...query }),
      pending: () => parts.outbox.ofRoom(id),
      report: (message) => emit('lastRead', { room: id, message }),
    })
    this.id = id
    this.#parts = parts
    this.#markers = createMemberMarkers(id, parts, this.timeline)
    this.readers = this.#markers.readers
    this.delivered = this.#markers.delivered
    this.readBy = this.#markers.readBy
    this.deliveredTo = this.#markers.deliveredTo
    this.#pins = createPins(id, calls, parts.isConnected)
    this.pinned = this.#pins.list
    this.#typed = throttledTyping((message) => {
      emit('typing', { room: id, message }).catch(() => undefined)
    })
    this.#cameBack = rereading(() => this.#catchUpAgain(), parts.isConnected)
    rooms.rooms.subscribe(() => this.#isNow(rooms.get(id)))
    this.messages.subscribe(() => this.#streaming.loaded((messageID) => this.find(messageID)))
  }

  open(options?: { limit?: number; around?: string }): Promise<void> {
    return this.opening(() => this.#open(options))
  }

  async #open({ limit = 50, around }: { limit?: number; around?: string } = {}): Promise<void> {
    if (around === undefined) await (this.#restoring ??= this.#restore())
    if (around !== undefined || !this.timeline.isLoaded) {
      await this.#parts.whenLoggedIn()
      // In parallel with the room list, which is read after the first login.
      await Promise.all([this.load(limit, around), this.#parts.whenReady()])
    }
    this.#begun ??= this.#begin(around).catch((error: unknown) => {
      this.#begun = undefined
      throw error
    })
    await this.#begun
  }

  send(message: unknown, options: SendOptions = {}): Promise<Message> {
    this.#typed.end()
    const quoted = this.timeline.get(options.replyTo ?? '')
    return this.#parts.outbox.send(this.id, message, options, quoted ? { quote: quoteOf(quoted) } : {})
  }

  thread(messageID: string): ThreadHandle {
    const thread = this.#threads.get(messageID) ?? new ThreadHandle(messageID, this.id, this.#parts)
    this.#threads.set(messageID, thread)
    const root = this.timeline.get(messageID)
    if (root && !thread.root.get()) thread.handleRoot(root)
    return thread
  }

  retry(key: string): Promise<Message> {
    return this.#parts.outbox.retry(key)
  }

  discard(key: string): void {
    this.#parts.outbox.discard(key)
  }

  typed(text = '…'): void {
    if (this.#parts.isConnected()) this.#typed.typed(text)
  }

  markRead(messageID?: string): void {
    const { timeline } = this
    const latest = timeline.at(timeline.high) ?? this.#parts.rooms.get(this.id)?.lastMessage
    const id = messageID ?? latest?._id
    if (id !== undefined) this.marker.mark(id)
  }

  /** Call it after a login without replay. Skips a room that the user has left. */
  async catchUp(): Promise<void> {
    const room = this.#parts.rooms.get(this.id)
    // Pieces of streams, or their end, may have been missed.
    this.#streaming.close()
    if (!room) return
    await this.catchUpTo(room.lastMessage?.seq ?? 0)
    this.#pins.changed()
    for (const thread of this.#threads.values()) await thread.catchUp()
  }

  override loggedIn(): void {
    super.loggedIn()
    for (const thread of this.#threads.values()) thread.loggedIn()
    this.#pins.loggedIn()
    this.#cameBack.loggedIn()
    // Delivery events are not replayed.
    if (this.timeline.isLoaded) void this.#markers.load()
  }

  /** A message in the room or one of its threads was sent or changed. */
  handleMessage(message: Message): void {
    const { _id, threadOf } = message
    if (threadOf === undefined) {
      this.#threads.get(_id)?.handleRoot(message)
      this.apply({ kind: 'message', message })
      this.#pins.heard(message)
    } else {
      // Create the thread with its first message, to count the unread ones.
      const thread = this.timeline.get(threadOf) ? this.thread(threadOf) : this.#threads.get(threadOf)
      thread?.heard(message)
      this.apply({ kind: 'in thread', message })
    }
    this.#streaming.changed(message)
  }

  /** A new message in the room or one of its threads. Its sender has stopped typing it. */
  handleNew(message: Message): void {
    this.handleMessage(message)
    this.#typing.end({ user: message.sender._id })
    this.#streaming.sent(message)
  }

  handleDeletion(deletion: ServerEvents['messageDeleted']): void {
    const { messageID } = deletion
    const had = this.#had(deletion)
    for (const thread of this.#threads.values()) thread.handleDeletion(deletion)
    this.#pins.gone(messageID === '_all' ? had : ({ _id }) => _id === messageID)
    if (messageID === '_all') this.#streaming.close()
    else this.#streaming.ended(messageID)
    this.apply(messageID === '_all' ? { kind: 'all deleted', had } : { kind: 'deleted', messageID })
  }

  handleHidden(hidden: ServerEvents['userDeleteMessages']): void {
    const { messages, isUserDeleteAllMessagesInRoom: all } = hidden
    const had = this.#had(hidden)
    this.apply(all ? { kind: 'all hidden', had } : { kind: 'hidden', messageIDs: messages })
    // Hiding all messages of the room does not affect its threads.
    for (const thread of this.#threads.values()) thread.handleHidden(messages)
    for (const messageID of messages) this.#streaming.ended(messageID)
    this.#pins.gone(all ? had : ({ _id }) => messages.includes(_id))
    this.#parts.rooms.changed(this.id)
  }

  handleTyping({ sender, message }: ServerEvents['typing']): void {
    if (message === '') this.#typing.end({ user: sender })
    else if (sender !== this.#parts.me()) this.#typing.heard({ user: sender }, () => message)
  }

  handleStreaming(piece: ServerEvents['ai_streaming']): void {
    const { message = '' } = piece
    if (!this.timeline.isHidden(message)) this.#streaming.heard(piece, this.find(message))
  }

  handleRead({ memberID, messageID }: ServerEvents['lastRead']): void {
    if (memberID === this.#parts.me()) this.marker.heard(messageID)
    else this.#markers.hasRead(memberID, messageID)
  }

  handleThreadRead({ threadOf, messageID }: ServerEvents['threadLastRead']): void {
    this.#threads.get(threadOf)?.handleRead(messageID)
  }

  handleDelivered({ members }: ServerEvents['delivered']): void {
    for (const { memberID, seq } of members) this.#markers.hasReached(memberID, seq)
  }

  override pendingChanged(): void {
    super.pendingChanged()
    for (const thread of this.#threads.values()) thread.pendingChanged()
  }

  override close(): void {
    super.close()
    for (const thread of this.#threads.values()) thread.close()
    this.#typing.close()
    this.#streaming.close()
    this.#typed.end()
  }

  /** Matches messages that existed when all were deleted. The event may repeat, or arrive after newer messages. */
  #had({ upToSeq = this.timeline.latestSeq }: { upToSeq?: number }): (message: Message) => boolean {
    return ({ seq }) => seq <= upToSeq
  }

  /** Finds a loaded message in the room or one of its threads. */
  find(messageID: string): Message | undefined {
    for (const { timeline } of [this, ...this.#threads.values()]) {
      const message = timeline.get(messageID)
      if (message) return message
    }
    return undefined
  }

  /** Shows the cached messages, and requests a reread. */
  async #restore(): Promise<void> {
    const page = await this.#parts.cached(this.id)
    if (page && this.restore(page)) this.#cameBack.ask()
  }

  /** Drops the messages of another user. */
  forget(): void {
    this.drop()
    this.#restoring = undefined
    this.#begun = undefined
  }

  /** If this fails, the next open() resumes it. */
  async #begin(around: string | undefined): Promise<void> {
    this.#pins.open()
    void this.#markers.load()
    // Later reads and messages do not change where the unread ones began.
    const { unread = 0, lastMessage } = this.#parts.rooms.get(this.id) ?? {}
    this.#unreadAtFirst ??= { count: unread, upToSeq: lastMessage?.seq ?? 0 }
    if (around === undefined) {
      this.#firstUnread.set(await loadFirstUnread(this, this.#unreadAtFirst, this.#parts.me()))
    }
  }

  #isNow(info: RoomInfo | undefined): void {
    const isBack = info !== undefined && this.#info.get() === undefined && this.#wasListed
    this.#wasListed ||= info !== undefined
    this.#info.set(info)
    if (isBack && this.timeline.isLoaded) this.#cameBack.ask()
  }

  async #catchUpAgain(): Promise<void> {
    await this.catchUp()
    await this.#markers.load()
  }
}
