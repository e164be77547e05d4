import type { Message } from '../generated/types.ts'
import type { Outbox } from '../sending/outbox.ts'
import { type RoomMessage, toPendingMessage } from '../sending/pending-send.ts'
import { createStore, oncePerTask, type Store } from '../store.ts'
import type { Timeline } from './timeline.ts'

export interface ShownMessagesOptions {
  roomID: string
  timeline: Timeline
  outbox: Outbox
  me: () => string | undefined
  sender: () => Message['sender']
}

/** The messages of a room as an app shows them: what is loaded, then what is on its way. */
export class ShownMessages {
  readonly #options: ShownMessagesOptions
  readonly #messages = createStore<readonly RoomMessage[]>([])
  readonly store: Store<readonly RoomMessage[]> = this.#messages
  /** As shown: the same object until the message changes. */
  readonly #shown = new WeakMap<Message, RoomMessage>()
  readonly changed = oncePerTask(() => this.#show())

  constructor(options: ShownMessagesOptions) {
    this.#options = options
    this.#show()
  }

  #show(): void {
    const { outbox, roomID, timeline, sender } = this.#options
    const pending = outbox.ofRoom(roomID)
    const sent = timeline.shown()
    const mine = new Map(pending.length === 0 ? [] : sent.map((message) => [this.#keyOf(message), message]))
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

  #keyOf({ sender, clientMessageID, _id }: Message): string {
    return (sender._id === this.#options.me() ? clientMessageID : undefined) ?? _id
  }

  #toShown(message: Message): RoomMessage {
    const isMine = message.sender._id === this.#options.me()
    const shown = this.#shown.get(message) ?? { ...message, key: this.#keyOf(message), isMine, state: 'sent' }
    this.#shown.set(message, shown)
    return shown
  }
}
