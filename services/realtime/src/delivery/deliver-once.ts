import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createRecent } from '@parley/bus/events/recent'
import type { Logger } from '@parley/service/log'
import type { Counter } from '@parley/service/metrics'
import type { Tracing } from '@parley/service/trace'

/** Hands events to sockets, counted, traced and logged. */
export interface Delivery {
  /**
   * One that comes live; a second one of the same ID goes only to sockets that have come since the first. One that is published
   * again is a second one, unless it happened while the node was cut off; from before that, it goes nowhere.
   */
  deliver(event: IncomingEvent): void
  /** One from the stream, that may have been delivered already. Sockets that are catching up read the stream for themselves. */
  redeliver(event: IncomingEvent): void
}

interface DeliveryParts {
  /** Returns how many sockets get the event. */
  send: (event: IncomingEvent, exceptBuffering?: boolean) => number
  /** The same for the sockets that came later than a time, as performance.now() has it. */
  sendToNewer: (event: IncomingEvent, thanMS: number) => number
  delivered: Counter<'event'>
  /** Called with each event and the sockets that got it. */
  noteDelivered: (event: IncomingEvent, sockets: number) => void
  /** When this node was cut off from the bus the last time, or not started yet (Unix milliseconds). */
  cutOff: () => CutOff
  tracing: Tracing
  log: Logger
}

/** A stretch of time, in Unix milliseconds, with a margin for clocks that differ. */
export interface CutOff {
  sinceMS: number
  untilMS: number
}

export function createDelivery(parts: DeliveryParts): Delivery {
  const { send, sendToNewer, delivered, noteDelivered, cutOff, tracing, log } = parts
  /** When an event was first heard. */
  const heard = createRecent<number>()

  function deliverToAll(event: IncomingEvent, exceptBuffering = false): void {
    if (event.id !== undefined) heard.set(event.id, performance.now())
    const step = tracing.step(`deliver ${event.event}`, 'consumer', event.request)
    const receivers = send(event, exceptBuffering)
    delivered.inc({ event: event.event }, receivers)
    noteDelivered(event, receivers)
    step.end({ 'parley.sockets': receivers })
    log.debug({ event: event.event, to: event.to, sockets: receivers, request: event.request }, 'delivered')
  }

  /** When it was heard for the first time, as performance.now() has it; undefined if this is the first time. */
  function heardAt({ id, again }: IncomingEvent): number | undefined {
    const atMS = id === undefined ? undefined : heard.get(id)
    // Longer ago than IDs are remembered.
    const wasHere = atMS === undefined && again !== undefined && again.atMS > cutOff().untilMS
    return wasHere ? again.atMS - performance.timeOrigin : atMS
  }

  return {
    redeliver: (event) => deliverToAll(event, true),
    deliver(event) {
      if (event.again && event.again.atMS < cutOff().sinceMS) return
      const heardAtMS = heardAt(event)
      if (heardAtMS === undefined) return deliverToAll(event)
      // A socket that joined in between has not got it, nor found it in a stream that took only the second.
      const receivers = sendToNewer(event, heardAtMS)
      if (receivers === 0) return
      delivered.inc({ event: event.event }, receivers)
      noteDelivered(event, receivers)
    },
  }
}
