import { type NodeAnnouncement, nodeAnnouncement } from '@parley/contracts/bus/control'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload } from '../read-payload.ts'

/**
 * Listens to the announcements of a subject. Listeners share a subscription: announcements are most of an idle process's
 * messages, and each would arrive and be parsed once per listener.
 */
export function listenToAnnouncements(
  bus: Bus,
  subject: string,
  handle: (announcement: NodeAnnouncement) => void,
): Subscription {
  const { announcements } = bus
  const shared = announcements.get(subject) ?? subscribe(bus, subject)
  announcements.set(subject, shared)
  shared.handlers.add(handle)
  return {
    unsubscribe() {
      shared.handlers.delete(handle)
      if (shared.handlers.size > 0 || announcements.get(subject) !== shared) return
      shared.unsubscribe()
      announcements.delete(subject)
    },
  }
}

function subscribe(bus: Bus, subject: string) {
  const handlers = new Set<(announcement: NodeAnnouncement) => void>()
  const subscription = listen(bus, subject, (message) => {
    const announcement = readPayload(message, nodeAnnouncement)
    for (const handle of handlers) handle(announcement)
  })
  return { handlers, unsubscribe: () => subscription.unsubscribe() }
}
