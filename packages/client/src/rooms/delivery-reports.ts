import type { MarkDeliveredResult, Message } from '../generated/types.ts'
import type { RoomInfo } from './listed-room.ts'

export interface DeliveryReportsOptions {
  me: () => string | undefined
  emit: (event: 'delivered', payload: object) => Promise<unknown>
}

/** Messages of a room within this time share one report. */
const batchMS = 1_000
/** Limit for the reports after a login without replay. */
const mostRooms = 50

/** Reports delivered messages in batches: only the latest of each room. */
export function createDeliveryReports({ me, emit }: DeliveryReportsOptions) {
  const due = new Map<string, Message>()
  /** The reported seq per room; infinite for rooms too large for delivery markers. */
  const reported = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  /** A lost report is not retried: the next message's report, or reading it, makes up for it. */
  async function flush(): Promise<void> {
    timer = undefined
    const messages = [...due.values()]
    due.clear()
    for (const { room, _id, seq } of messages) {
      const outcome = await emit('delivered', { room, message: _id }).catch(() => undefined)
      if (!outcome) continue
      const { isMarked } = outcome as MarkDeliveredResult
      reported.set(room, isMarked ? seq : Number.POSITIVE_INFINITY)
    }
  }

  function heard(message: Message): void {
    const { room, seq, sender } = message
    const known = Math.max(reported.get(room) ?? 0, due.get(room)?.seq ?? 0)
    if (seq <= known || sender._id === me()) return
    due.set(room, message)
    timer ??= setTimeout(() => void flush(), batchMS)
  }

  return {
    heard,
    /** Takes rooms just read from the server. */
    read(rooms: readonly RoomInfo[]) {
      const unread = rooms.filter((room) => room.unread > 0).slice(0, mostRooms)
      for (const { lastMessage } of unread) if (lastMessage) heard(lastMessage)
    },
    close: () => clearTimeout(timer),
  }
}
export type DeliveryReports = ReturnType<typeof createDeliveryReports>
