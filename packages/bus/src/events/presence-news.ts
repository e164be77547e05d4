import { presenceSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'

/** What of a user's presence may have changed: whether they are connected, or who may see it. */
export type PresenceNews = 'state' | 'rights'

/**
 * Has the nodes that watch a user look again. What they find counts, not the news: one that is lost, as while the bus is
 * away, only delays it. News of a user whom nobody watches end at the NATS server.
 */
export function publishPresenceNews(bus: Bus, { app, user }: { app: string; user: string }, news: PresenceNews): void {
  if (bus.connected) bus.nats.publish(presenceSubject(app, user), news)
}

export function listenToPresence(
  bus: Bus,
  { app, user }: { app: string; user: string },
  handle: (news: PresenceNews) => void,
): Subscription {
  return listen(bus, presenceSubject(app, user), (message) =>
    handle(message.string() === 'rights' ? 'rights' : 'state'),
  )
}
