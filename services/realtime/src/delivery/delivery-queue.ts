import type { IncomingEvent } from '@parley/bus/events/incoming'
import { topicOf } from './topics.ts'

/** This many events in one turn of the event loop count as a burst. */
const burst = 16
/** Wait for the rest of a burst: far shorter than its delivery. */
const waitMS = 4

/**
 * Queue between the bus and the sockets. Events that arrive in one turn go out in one turn, so that each socket gets them in
 * one write. A large burst arrives in pieces, so it waits a few milliseconds for the rest; a single event never waits.
 */
export function createDeliveryQueue(deliver: (event: IncomingEvent) => void) {
  /** In order. An array would move the rest for each event taken: seconds for all that came during a resync. */
  const waiting = new Set<IncomingEvent>()
  let isScheduled = false
  let isHeld = false
  let isDraining = false

  function drain(): void {
    // A delivery that closes a socket must not let later events overtake it.
    if (isHeld || isDraining) return
    isDraining = true
    try {
      // One by one: a delivery that ends a subscription makes the rest forget it.
      for (const event of waiting) {
        waiting.delete(event)
        deliver(event)
      }
    } finally {
      isDraining = false
    }
  }

  function drainInTime(): void {
    isScheduled = false
    drain()
  }

  return {
    add(event: IncomingEvent) {
      waiting.add(event)
      if (isScheduled) return
      isScheduled = true
      setImmediate(() => {
        if (waiting.size < burst) drainInTime()
        else setTimeout(drainInTime, waitMS)
      })
    },
    /** Delivers everything queued; call it before the members of a room change. */
    drain,
    /** Drops the queued events of a topic whose subscription has ended: they would reach a socket that joins later. */
    forget(topic: string) {
      for (const event of waiting) if (topicOf(event.to) === topic) waiting.delete(event)
    },
    /** Keeps new events in the queue until `release`. */
    hold() {
      drain()
      isHeld = true
    },
    release() {
      isHeld = false
      drain()
    },
    /** Drops everything in the queue. */
    drop() {
      waiting.clear()
    },
    get isHeld() {
      return isHeld
    },
  }
}
export type DeliveryQueue = ReturnType<typeof createDeliveryQueue>
