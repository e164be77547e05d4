import type { IncomingEvent } from '@parley/bus/incoming'

/** So many events in one turn of the event loop are a burst, of which more is on its way. */
const burst = 16
/** How long the rest of a burst is waited for: far less than delivering it takes. */
const waitMS = 4

/**
 * Events between the bus and the sockets. What arrives in one turn goes out in one turn, so that a socket gets all that it
 * gets in one write. A large burst comes over the bus in pieces: then a few milliseconds are waited for the rest; a
 * single event never waits.
 */
export interface DeliveryQueue {
  add(event: IncomingEvent): void
  /** Delivers what is there now: before anything changes who is in a room. */
  drain(): void
}

export function createDeliveryQueue(deliver: (event: IncomingEvent) => void): DeliveryQueue {
  let waiting: IncomingEvent[] = []
  let isScheduled = false

  function drain(): void {
    const events = waiting
    waiting = []
    for (const event of events) deliver(event)
  }

  function drainInTime(): void {
    isScheduled = false
    drain()
  }

  return {
    add(event) {
      waiting.push(event)
      if (isScheduled) return
      isScheduled = true
      setImmediate(() => {
        if (waiting.length < burst) drainInTime()
        else setTimeout(drainInTime, waitMS)
      })
    },
    drain,
  }
}
