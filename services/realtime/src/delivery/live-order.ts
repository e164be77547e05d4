import type { IncomingEvent } from '@parley/bus/events/incoming'
import type { Metrics } from '@parley/service/metrics'
import type { DeliveryQueue } from './delivery-queue.ts'
import { checksPerWait, InOrder, type Missing, type NextSeq } from './in-order.ts'
import type { RoomInterest } from './room-interest.ts'

/** Puts live events in order. */
export interface LiveOrder {
  take(event: IncomingEvent): void
  /** Learns the next seqs from another InOrder, for rooms that this node subscribes to. */
  learn(nextSeqs: Iterable<NextSeq>, isUpToNow: boolean): void
  /** Some messages were missed. */
  missed(): void
  forget(topic: string): void
  /** Delivers everything that waits. */
  stop(): void
}

export interface LiveOrderParts {
  waitMS: number
  deliver: (event: IncomingEvent) => void
  /** See InOrder. Never fails. */
  fetch: (missing: Missing) => Promise<boolean>
  metrics: Metrics
  queue: () => Pick<DeliveryQueue, 'drain' | 'isHeld'>
  interest: () => Pick<RoomInterest, 'has'>
}

export function createLiveOrder(parts: LiveOrderParts): LiveOrder {
  const { waitMS, deliver, fetch, metrics, queue, interest } = parts
  const waits = metrics.counter(
    'parley_realtime_order_waits_total',
    'Events that waited for an earlier message of their room, by how the wait ended',
    ['outcome'],
  )
  const order = new InOrder({ waitMS, deliver, fetch, waited: (outcome) => waits.inc({ outcome }) })
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
    take(event) {
      order.take(event, nowMS)
      scheduleCheck()
    },
    learn(nextSeqs, isUpToNow) {
      for (const queue of nextSeqs) if (interest().has(queue.topic)) order.learn(queue, isUpToNow)
    },
    missed: () => order.missed(),
    forget: (topic) => order.forget(topic),
    stop() {
      clearTimeout(timer)
      order.flush()
    },
  }
}
