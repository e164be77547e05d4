import type { Message } from '../generated/types.ts'
import type { Outbox } from '../sending/outbox.ts'
import { type PendingSend, type RoomMessage, toPendingMessage } from '../sending/pending-send.ts'
import { createStore, oncePerTask, type Store } from '../store.ts'
import type { Conversation } from './conversation.ts'
import { ReadMarker, type ReadMarkerOptions } from './read-marker.ts'
import { RoomHistory, type RoomHistoryOptions } from './room-history.ts'

interface ConversationParts {
  outbox: Pick<Outbox, 'arrived'>
  me: () => string | undefined
  /** The user as the sender of their messages. */
  sender: () => Message['sender']
  isConnected: () => boolean
}

interface Source extends Pick<RoomHistoryOptions, 'read'>, Pick<ReadMarkerOptions, 'roomID' | 'rooms' | 'report'> {
  /** Pending sends. */
  pending: () => PendingSend[]
}

/** Base of rooms and threads: a gapless range of loaded messages, then pending sends; and a read marker. */
export class ConversationHandle extends RoomHistory implements Conversation {
  protected readonly marker: ReadMarker
  readonly #messages = createStore<readonly RoomMessage[]>([])
  readonly messages: Store<readonly RoomMessage[]> = this.#messages
  /** Messages as shown: the same object until the message changes. */
  readonly #shown = new WeakMap<Message, RoomMessage>()
  readonly #parts: ConversationParts
  readonly #pending: () => PendingSend[]
  readonly #showSoon = oncePerTask(() => this.#show())

  constructor(parts: ConversationParts, { read, pending, ...marking }: Source) {
    super({ read, isConnected: parts.isConnected, onChange: () => this.#showSoon() })
    this.#parts = parts
    this.#pending = pending
    this.marker = new ReadMarker({ ...parts, ...marking, timeline: this.timeline })
    this.#show()
  }

  /** Call it when pending sends have changed. */
  pendingChanged(): void {
    this.#showSoon()
  }

  /** Call it after each login. */
  loggedIn(): void {
    this.#showSoon()
    this.watchGap()
    void this.marker.flush()
  }

  override close(): void {
    super.close()
    this.marker.close()
  }

  #show(): void {
    const { outbox, me, sender } = this.#parts
    const pending = this.#pending()
    const sent = this.timeline.shown()
    const mine = new Map(pending.length === 0 ? [] : sent.map((message) => [keyOf(message, me()), message]))
    for (const { clientMessageID } of pending) {
      const message = mine.get(clientMessageID)
      if (message) outbox.arrived(message)
    }
    this.#messages.set([
      ...sent.map((message) => this.#toShown(message)),
      ...pending
        .filter(({ clientMessageID }) => !mine.has(clientMessageID))
        .map((send) => toPendingMessage(send, sender())),
    ])
  }

  #toShown(message: Message): RoomMessage {
    const shown = this.#shown.get(message) ?? toShown(message, this.#parts.me())
    this.#shown.set(message, shown)
    return shown
  }
}

/** A stored message, as shown. */
export function toShown(message: Message, me: string | undefined): RoomMessage {
  return { ...message, key: keyOf(message, me), isMine: message.sender._id === me, state: 'sent' }
}

function keyOf({ sender, clientMessageID, _id }: Message, me: string | undefined): string {
  return (sender._id === me ? clientMessageID : undefined) ?? _id
}
