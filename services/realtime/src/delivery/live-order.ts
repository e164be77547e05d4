import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { Metrics } from '@parley/service/metrics'
import type { DeliveryQueue } from './delivery-queue.ts'
import { checksPerWait, InOrder, type Missing, type NextSeq } from './in-order.ts'
import type { RoomInterest } from './room-interest.ts'

export interface LiveOrderParts {
  waitMS: number
  deliver: (event: IncomingEvent) => void
  /** See InOrder. Never fails. */
  fetch: (missing: Missing) => Promise<number | undefined>
  metrics: Metrics
  queue: () => Pick<DeliveryQueue, 'drain' | 'isHeld'>
  interest: () => Pick<RoomInterest, 'has'>
}

/** Puts live events in order. */
export function createLiveOrder(parts: LiveOrderParts) {
  const { waitMS, deliver, fetch, metrics, queue, interest } = parts
  const waits = metrics.counter(
    'parley_realtime_order_waits_total',
    'Events that waited for an earlier message of their room, by how the wait ended',
    ['outcome'],
  )
  const order = new InOrder({ waitMS, deliver, fetch, fetchesFirst: true, waited: (outcome) => waits.inc({ outcome }) })
  const everyMS = waitMS / checksPerWait
  /** Advances only with the event loop: after a stall, received events are read before waits run out. */
  let nowMS = 0
  let timer: NodeJS.Timeout | undefined

  function check(): void {
    timer = undefined
    if (!queue().isHeld) {
      queue().drain()
      nowMS += everyMS
      order.expire(nowMS)
    }
    scheduleCheck()
  }

  function scheduleCheck(): void {
    // After the unread input of the connections.
    if (order.isWaiting) timer ??= setTimeout(() => setImmediate(check), everyMS)
  }

  return {
    take(event: IncomingEvent) {
      order.take(event, nowMS)
      scheduleCheck()
    },
    /** Learns the next seqs from another InOrder, for rooms that this node subscribes to. */
    learn(nextSeqs: Iterable<NextSeq>, isUpToNow: boolean) {
      for (const queue of nextSeqs) if (interest().has(queue.topic)) order.learn(queue, isUpToNow)
    },
    /** Some messages were missed. */
    missed: () => order.missed(),
    forget: (topic: string) => order.forget(topic),
    /** Delivers everything that waits. */
    stop() {
      clearTimeout(timer)
      order.flush()
    },
  }
}
export type LiveOrder = ReturnType<typeof createLiveOrder>
