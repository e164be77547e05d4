import { presenceSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'

/** The part of a user's presence that may have changed: whether they are connected, or their visibility. */
export type PresenceEvent = 'state' | 'rights'

/** Tells the nodes that watch a user to read the presence. A lost event delays it; NATS drops unwatched users. */
export function publishPresenceEvent(
  bus: Bus,
  { app, user }: { app: string; user: string },
  event: PresenceEvent,
): void {
  if (bus.connected) bus.nats.publish(presenceSubject(app, user), event)
}

export function listenToPresence(
  bus: Bus,
  { app, user }: { app: string; user: string },
  handle: (event: PresenceEvent) => void,
): Subscription {
  return listen(bus, presenceSubject(app, user), (message) =>
    handle(message.string() === 'rights' ? 'rights' : 'state'),
  )
}
