import type { Message } from '../generated/types.ts'
import type { Outbox } from '../sending/outbox.ts'
import type { PendingSend, RoomMessage } from '../sending/pending-send.ts'
import type { Store } from '../store.ts'
import type { Conversation } from './conversation.ts'
import type { HistoryState } from './history-state.ts'
import { RoomHistory } from './room-history.ts'
import { ShownMessages } from './shown-messages.ts'
import type { Page, Timeline } from './timeline.ts'
import type { PageQuery } from './walk-history.ts'

interface ConversationParts {
  outbox: Outbox
  me: () => string | undefined
  /** The user as the sender of their messages. */
  sender: () => Message['sender']
  isConnected: () => boolean
}

interface Source {
  /** Reads a page, by the time of sending. */
  read: (query: PageQuery) => Promise<Page>
  /** What is on its way. */
  pending: () => PendingSend[]
}

/** What rooms and threads have in common: messages that are loaded by pages, and stay whole. */
export class ConversationHandle implements Conversation {
  protected readonly loaded: RoomHistory
  protected readonly timeline: Timeline
  readonly #shown: ShownMessages
  readonly history: Store<HistoryState>
  readonly messages: Store<readonly RoomMessage[]>

  constructor(parts: ConversationParts, { read, pending }: Source) {
    const { isConnected } = parts
    this.loaded = new RoomHistory({ read, isConnected, onChange: () => this.#shown.changed() })
    this.history = this.loaded.state
    this.timeline = this.loaded.timeline
    this.#shown = new ShownMessages({ ...parts, timeline: this.timeline, pending })
    this.messages = this.#shown.store
  }

  loadOlder(limit = 50): Promise<void> {
    return this.loaded.loadOlder(limit)
  }

  loadNewer(limit = 50): Promise<void> {
    return this.loaded.loadNewer(limit)
  }

  toLatest(limit = 50): Promise<void> {
    return this.loaded.toLatest(limit)
  }

  /** What is pending in it changed. */
  pendingChanged(): void {
    this.#shown.changed()
  }

  /** After each login. */
  loggedIn(): void {
    this.#shown.changed()
    this.loaded.watchHole()
  }

  close(): void {
    this.loaded.close()
  }
}
