import { type Audience, audienceSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'
import { type IncomingEvent, toIncomingEvent } from './incoming.ts'

/**
 * Listens to every event of a room or user live, from now on and in order of arrival. The handler runs in
 * the turn in which the message was read, so that a burst is handled together.
 */
export function subscribeToEvents(bus: Bus, to: Audience, handle: (event: IncomingEvent) => void): Subscription {
  return listen(bus, audienceSubject(to), (message) => handle(toIncomingEvent(message)))
}
