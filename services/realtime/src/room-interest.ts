import { setImmediate } from 'node:timers/promises'
import type { Bus } from '@parley/bus/connect'
import type { IncomingEvent } from '@parley/bus/incoming'
import { type Subscription, subscribeToEvents } from '@parley/bus/subscribe'
import { audienceOf } from './socket-rooms.ts'

/** What the node hears on the bus: the rooms and users of its sockets, and nothing else. */
export interface RoomInterest {
  begin(socketRoom: string): void
  end(socketRoom: string): void
  /** Settles when the bus has every subscription begun so far: what is published from then on is heard. */
  effective(): Promise<void>
  /** How many rooms and users. */
  readonly size: number
}

export function createRoomInterest(bus: Bus, handle: (event: IncomingEvent) => void): RoomInterest {
  const subscriptions = new Map<string, Subscription>()
  let flushing: Promise<void> | undefined

  /** Those who ask in the same turn share one round trip. */
  async function flush(): Promise<void> {
    await setImmediate()
    flushing = undefined
    // While the bus is away there is nothing to hear; the client subscribes again when it is back.
    if (bus.connected) await bus.nats.flush()
  }

  return {
    begin(socketRoom) {
      subscriptions.set(socketRoom, subscribeToEvents(bus, audienceOf(socketRoom), handle))
    },
    end(socketRoom) {
      subscriptions.get(socketRoom)?.unsubscribe()
      subscriptions.delete(socketRoom)
    },
    effective: () => (flushing ??= flush()),
    get size() {
      return subscriptions.size
    },
  }
}
