import type { MarkDeliveredResult, Message } from '../generated/types.ts'
import type { RoomInfo } from './listed-room.ts'

export interface DeliveryReportsOptions {
  me: () => string | undefined
  emit: (event: 'delivered', payload: object) => Promise<unknown>
}

/** Messages of one room that come together are one report. */
const batchMS = 1_000
/** After a login that did not bring what was missed: of so many rooms. */
const mostRooms = 50

/** Reports which messages of others have reached this device: the latest of each room, batched. */
export class DeliveryReports {
  readonly #options: DeliveryReportsOptions
  readonly #due = new Map<string, Message>()
  /** The seq up to which each room is reported; of rooms too large for it, all that will come. */
  readonly #reported = new Map<string, number>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(options: DeliveryReportsOptions) {
    this.#options = options
  }

  heard(message: Message): void {
    const { room, seq, sender } = message
    const known = Math.max(this.#reported.get(room) ?? 0, this.#due.get(room)?.seq ?? 0)
    if (seq <= known || sender._id === this.#options.me()) return
    this.#due.set(room, message)
    this.#timer ??= setTimeout(() => void this.#flush(), batchMS)
  }

  /** The rooms as they were just read. */
  read(rooms: readonly RoomInfo[]): void {
    const unread = rooms.filter((room) => room.unread > 0).slice(0, mostRooms)
    for (const { lastMessage } of unread) if (lastMessage) this.heard(lastMessage)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** What does not come through is made up by the next message, or by reading it. */
  async #flush(): Promise<void> {
    this.#timer = undefined
    const due = [...this.#due.values()]
    this.#due.clear()
    for (const { room, _id, seq } of due) {
      const outcome = await this.#options.emit('delivered', { room, message: _id }).catch(() => undefined)
      if (!outcome) continue
      const { isMarked } = outcome as MarkDeliveredResult
      this.#reported.set(room, isMarked ? seq : Number.POSITIVE_INFINITY)
    }
  }
}
