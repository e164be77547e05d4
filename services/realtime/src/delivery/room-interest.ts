import { setImmediate } from 'node:timers/promises'
import type { Bus } from '@parley/bus/connect'
import { type IncomingEvent, subscribeToEvents } from '@parley/bus/events/incoming'
import { type Subscription, subscribed } from '@parley/bus/listen'
import { audienceOf } from './topics.ts'

/**
 * The node's subscriptions on the bus: only the rooms and users of its sockets.
 * @param ended called with each topic after its subscription has ended
 */
export function createRoomInterest(bus: Bus, handle: (event: IncomingEvent) => void, ended: (topic: string) => void) {
  const subscriptions = new Map<string, Subscription>()
  let flushing: Promise<void> | undefined

  /** Calls in the same turn share one round trip. */
  async function flush(): Promise<void> {
    await setImmediate()
    flushing = undefined
    await subscribed(bus)
  }

  return {
    begin(topic: string) {
      subscriptions.set(topic, subscribeToEvents(bus, audienceOf(topic), handle))
    },
    end(topic: string) {
      subscriptions.get(topic)?.unsubscribe()
      subscriptions.delete(topic)
      ended(topic)
    },
    has: (topic: string) => subscriptions.has(topic),
    /** Resolves when the bus has every subscription begun so far: events published from then on arrive. */
    effective: () => (flushing ??= flush()),
    /** Number of rooms and users. */
    get size() {
      return subscriptions.size
    },
  }
}
export type RoomInterest = ReturnType<typeof createRoomInterest>
