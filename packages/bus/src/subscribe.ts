import { type Audience, audienceSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from './connect.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'

export interface Subscription {
  unsubscribe(): void
}

/**
 * Hears every event of a room or user live, from now on and in order of arrival. The handler runs in
 * the turn in which the message was read, so a burst is handled in one go.
 */
export function subscribeToEvents(bus: Bus, to: Audience, handle: (event: IncomingEvent) => void): Subscription {
  return bus.nats.subscribe(audienceSubject(to), {
    callback: (error, message) => {
      if (error) throw error
      handle(toIncomingEvent(message))
    },
  })
}
