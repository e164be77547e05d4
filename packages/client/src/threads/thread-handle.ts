import type { UserCalls } from '../calls/user-calls.ts'
import type { Message, ServerEvents } from '../generated/types.ts'
import { type Rereading, rereading } from '../rereading.ts'
import { ConversationHandle, toShown } from '../rooms/conversation-handle.ts'
import { withoutContent } from '../rooms/deleted-message.ts'
import { isOutdated } from '../rooms/outdated.ts'
import { quoteOf } from '../rooms/quotes.ts'
import type { PageQuery } from '../rooms/room-history.ts'
import type { Page } from '../rooms/timeline.ts'
import { isRecalled, noUnread, recounted, totalOf, type UnreadCount, withMessage } from '../rooms/unread-count.ts'
import type { Outbox } from '../sending/outbox.ts'
import type { RoomMessage, SendOptions } from '../sending/pending-send.ts'
import { createStore, type Store } from '../store.ts'
import { afterThreadMessage, withThreadOf } from './root.ts'
import type { Thread } from './thread.ts'

export interface ThreadParts {
  calls: UserCalls
  outbox: Outbox
  me: () => string | undefined
  sender: () => Message['sender']
  isConnected: () => boolean
  whenReady: () => Promise<void>
  /** Called when this device has reported a thread's read marker. */
  threadRead: (read: ServerEvents['threadLastRead']) => void
}

/** A thread that keeps itself up to date. */
export class ThreadHandle extends ConversationHandle implements Thread {
  readonly id: string
  readonly #roomID: string
  readonly #parts: ThreadParts
  readonly #root = createStore<RoomMessage | undefined>(undefined)
  readonly root: Store<RoomMessage | undefined> = this.#root
  #count: UnreadCount = noUnread
  readonly #unread = createStore(0)
  readonly unread: Store<number> = this.#unread
  readonly #recounting: Rereading
  #takesPart = false
  /** How often the read marker has set the count. Counts read before are stale. */
  #marks = 0

  constructor(id: string, roomID: string, parts: ThreadParts) {
    super(parts, {
      roomID,
      read: (query) => this.#read(query),
      pending: () => parts.outbox.ofThread(id),
      rooms: {
        setUnread: (_room, counted, upToSeq) => {
          this.#marks++
          this.#setCount(recounted(this.#count, counted, upToSeq))
        },
        changed: () => this.#recounting.ask(),
      },
      async report(messageID) {
        const { unread } = await parts.calls.markThreadRead({ id, message: messageID })
        parts.threadRead({ roomID, threadOf: id, messageID, unread })
      },
    })
    this.id = id
    this.#roomID = roomID
    this.#parts = parts
    this.#recounting = rereading(async () => void (await this.#read({ limit: 1 })), parts.isConnected)
  }

  open({ limit = 50, around }: { limit?: number; around?: string } = {}): Promise<void> {
    return this.opening(async () => {
      await this.#parts.whenReady()
      await this.load(limit, around)
    })
  }

  send(message: unknown, { replyTo = this.id, ...options }: SendOptions = {}): Promise<Message> {
    const quoted = this.timeline.get(replyTo)
    const about = { thread: this.id, ...(quoted && { quote: quoteOf(quoted) }) }
    return this.#parts.outbox.send(this.#roomID, message, { ...options, replyTo }, about)
  }

  markRead(messageID?: string): void {
    const { timeline } = this
    const id = messageID ?? timeline.at(timeline.high)?._id
    if (id !== undefined && this.#takesPart) this.marker.mark(id)
  }

  /** A message of the thread was sent or changed. */
  heard(message: Message): void {
    const me = this.#parts.me()
    const root = this.#root.get()
    const taking = [root?.sender._id, message.sender._id, ...(root?.threadParticipants ?? [])]
    this.#takesPart ||= me !== undefined && taking.includes(me)
    // Before the thread is open, only the root's state shows whether the message is new.
    const isNew = this.timeline.isLoaded || message.seq > (root?.threadLatestSeq ?? 0)
    if (this.#takesPart && isNew) this.#setCount(withMessage(this.#count, message, me))
    if (root) this.handleRoot(afterThreadMessage(root, message))
    this.apply({ kind: 'message', message })
    if (isRecalled(message)) this.#recountUnread()
  }

  /** The user has read up to a message of the thread on another device. */
  handleRead(messageID: string): void {
    if (this.#takesPart) this.marker.heard(messageID)
  }

  /** Takes over the root message's state, unless it is outdated. */
  handleRoot(message: Message): void {
    const before = this.#root.get()
    if (isOutdated(message, before)) return
    this.#root.set(toShown(withThreadOf(before, message), this.#parts.me()))
  }

  handleDeletion({ messageID, upToMS }: ServerEvents['messageDeleted']): void {
    const root = this.#root.get()
    const { timeline } = this
    const { latestSeq } = timeline
    const isAll = messageID === '_all'
    const had = ({ seq, createdAtMS }: Message) => (upToMS === undefined ? seq <= latestSeq : createdAtMS <= upToMS)
    const isRootGone = isAll ? upToMS === undefined || (root && had(root)) : messageID === this.id
    if (root && isRootGone) this.handleRoot(withoutContent(root))
    if (isAll) this.apply({ kind: 'all deleted', had })
    else this.apply({ kind: 'deleted', messageID })
    // The message may belong to the thread without being loaded.
    this.#recountUnread()
  }

  /** The user has deleted messages of the room or its threads for themselves. */
  handleHidden(messageIDs: readonly string[]): void {
    this.apply({ kind: 'hidden', messageIDs })
    this.#recountUnread()
  }

  /** Call it after a login without replay. */
  async catchUp(): Promise<void> {
    await this.catchUpTo(this.#root.get()?.threadLatestSeq ?? 0)
    // For a thread that was never open, catchUpTo() reads nothing.
    if (!this.timeline.isLoaded) this.#recountUnread()
  }

  override loggedIn(): void {
    super.loggedIn()
    this.#recounting.loggedIn()
  }

  async #read(query: PageQuery): Promise<Page> {
    const { calls } = this.#parts
    const marks = this.#marks
    const page = await calls.listThread({ id: this.id, timeRangeField: 'createdAt', ...query })
    this.#takesPart ||= page.takesPart
    this.handleRoot(page.root)
    if (marks === this.#marks) this.#setCount(recounted(this.#count, page.unread, page.latestSeq))
    else this.#recounting.ask()
    return page
  }

  /** Skips a count of zero, which deletions and recalls do not change. */
  #recountUnread(): void {
    if (this.#unread.get() > 0) this.#recounting.ask()
  }

  #setCount(count: UnreadCount): void {
    this.#count = count
    this.#unread.set(totalOf(count))
  }
}
