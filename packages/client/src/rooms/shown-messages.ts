import type { Message } from '../generated/types.ts'
import type { Outbox } from '../sending/outbox.ts'
import { type PendingSend, type RoomMessage, toPendingMessage } from '../sending/pending-send.ts'
import { createStore, oncePerTask, type Store } from '../store.ts'
import type { Timeline } from './timeline.ts'

export interface ShownMessagesOptions {
  timeline: Timeline
  /** What is on its way. */
  pending: () => PendingSend[]
  outbox: Pick<Outbox, 'arrived'>
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
    const { outbox, timeline, sender } = this.#options
    const pending = this.#options.pending()
    const sent = timeline.shown()
    const mine = new Map(
      pending.length === 0 ? [] : sent.map((message) => [keyOf(message, this.#options.me()), message]),
    )
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
    const shown = this.#shown.get(message) ?? toShown(message, this.#options.me())
    this.#shown.set(message, shown)
    return shown
  }
}

/** A message that Parley has, as shown. */
export function toShown(message: Message, me: string | undefined): RoomMessage {
  return { ...message, key: keyOf(message, me), isMine: message.sender._id === me, state: 'sent' }
}

function keyOf({ sender, clientMessageID, _id }: Message, me: string | undefined): string {
  return (sender._id === me ? clientMessageID : undefined) ?? _id
}
