import { BusAway, BusRefuses } from '@parley/bus/events/publish'
import type { NotedEvent } from '@parley/db/events/pending-events'
import type { Steps } from '../ports.ts'
import type { AsOfNow } from './as-of-now.ts'
import { type PublishParts, publishNoted } from './publish-noted.ts'

/**
 * Publishes a noted event and decides what a failure means: while the bus is away the event stays noted, and is published
 * later; what the bus would never take is dropped; and with any other error it stays noted too, since that is a fault of
 * ours, or a note that only a newer release can read.
 * @returns whether the event is dealt with. Never fails
 */
export async function publishOne(
  parts: PublishParts & { steps: Steps },
  event: NotedEvent,
  now: AsOfNow,
): Promise<boolean> {
  const { log, steps } = parts
  const about = describe(event, now)
  const step = steps.step(`publish ${about.event}`, 'producer', about.request)
  try {
    await publishNoted(parts, event, now)
    step.end()
    return true
  } catch (error) {
    step.end({}, error as Error)
    const fields = { err: error, ...about }
    if (error instanceof BusRefuses) log.error(fields, 'event dropped: too large for the bus')
    else if (error instanceof BusAway) log.warn(fields, 'event not published yet')
    else log.error(fields, 'event not published: it stays noted')
    return error instanceof BusRefuses
  }
}

/** The log fields of an event. */
function describe(
  event: NotedEvent,
  now: AsOfNow,
): { event: string; request?: string | undefined; [id: string]: unknown } {
  switch (event.kind) {
    case 'message': {
      const message = now.message(event.message)?.message
      return { event: event.event, message: event.message, room: message?.room, request: message?.request }
    }
    case 'room':
      return { event: 'room', app: event.app, room: event.room, request: event.request }
    case 'event':
    case 'feed':
      return { event: event.event, ...event.to }
    default:
      return { event: event.kind, app: event.app }
  }
}
