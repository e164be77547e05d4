import { clock } from '@parley/async/clock'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createRecent } from '@parley/bus/events/recent'
import type { Logger } from '@parley/service/log'
import type { Counter, RequestHistogram } from '@parley/service/metrics'
import type { Tracing } from '@parley/service/trace'
import type { UserSocket } from '../connections/session.ts'

interface DeliveryParts {
  /** Returns the number of sockets that get the event. */
  send: (event: IncomingEvent, redelivery?: Redelivery) => number
  /** The same for sockets that joined after a time (`performance.now()`). */
  sendToNewer: (event: IncomingEvent, thanMS: number) => number
  delivered: Counter<'event'>
  /** From the acceptance of a message to its first write to sockets here. */
  delay: RequestHistogram
  /** Called with each event and its number of sockets. */
  recordDelivered: (event: IncomingEvent, sockets: number) => void
  /** The last period in which this node was cut off from the bus, or not started yet. */
  cutOff: () => CutOff
  tracing: Tracing
  log: Logger
}

/** A repeated event leaves out these sockets, and those with a replay buffer, which read the stream themselves. */
export interface Redelivery {
  except: readonly UserSocket[]
}

/** A period in Unix milliseconds, with a margin for clock skew. */
export interface CutOff {
  sinceMS: number
  untilMS: number
}

/** Delivers events to sockets, counted, traced and logged. */
export function createDelivery(parts: DeliveryParts) {
  const { send, sendToNewer, delivered, delay, recordDelivered, cutOff, tracing, log } = parts
  /** Time of the first delivery, by event ID. */
  const heard = createRecent<number>()

  function deliverToAll(event: IncomingEvent, redelivery?: Redelivery): void {
    const isFirst = event.id === undefined || heard.get(event.id) === undefined
    if (event.id !== undefined) heard.set(event.id, performance.now())
    const span = tracing.startSpan(`deliver ${event.event}`, 'consumer', event.request)
    const receivers = send(event, redelivery)
    delivered.inc({ event: event.event }, receivers)
    if (isFirst && receivers > 0 && event.acceptedAtMS !== undefined) {
      // Both by MongoDB's clock; the remaining skew can make a fast delivery seem to precede its acceptance.
      delay.observe({}, Math.max(0, clock.now() - event.acceptedAtMS) / 1000, event.request)
    }
    recordDelivered(event, receivers)
    span.end({ 'parley.sockets': receivers })
    log.debug({ event: event.event, to: event.to, sockets: receivers, request: event.request }, 'delivered')
  }

  /** Time of the first delivery (`performance.now()`); undefined if this is the first. */
  function heardAt({ id, republished }: IncomingEvent): number | undefined {
    const atMS = id === undefined ? undefined : heard.get(id)
    // Delivered before, but the cache of IDs has evicted it.
    const wasHere = atMS === undefined && republished !== undefined && republished.atMS > cutOff().untilMS
    return wasHere ? republished.atMS - performance.timeOrigin : atMS
  }

  return {
    /** Delivers an event of the stream that may have been delivered before. */
    redeliver: (event: IncomingEvent, except: readonly UserSocket[] = []) => deliverToAll(event, { except }),
    /**
     * Delivers a live event. A repeat of the same ID goes only to sockets that joined after the first. A republished event is a
     * repeat, unless it happened while the node was cut off; if it is older than that, it is dropped.
     */
    deliver(event: IncomingEvent): void {
      if (event.republished && event.republished.atMS < cutOff().sinceMS) return
      const heardAtMS = heardAt(event)
      if (heardAtMS === undefined) return deliverToAll(event)
      // A socket that joined in between missed it live, and in the stream if that has only the repeat.
      const receivers = sendToNewer(event, heardAtMS)
      if (receivers === 0) return
      delivered.inc({ event: event.event }, receivers)
      recordDelivered(event, receivers)
    },
  }
}
