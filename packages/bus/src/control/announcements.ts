import { type NodeAnnouncement, nodeAnnouncement } from '@parley/contracts/bus/control'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload } from '../read-payload.ts'

type Handle = (announcement: NodeAnnouncement) => void

interface Shared {
  handlers: Set<Handle>
  subscription: Subscription
}

const sharedBy = new WeakMap<Bus, Map<string, Shared>>()

/**
 * Listens to the announcements of a subject. Listeners share a subscription: announcements are most of an idle process's
 * messages, and each would arrive and be parsed once per listener.
 */
export function listenToAnnouncements(bus: Bus, subject: string, handle: Handle): Subscription {
  const ofBus = sharedBy.get(bus) ?? new Map<string, Shared>()
  sharedBy.set(bus, ofBus)
  const shared = ofBus.get(subject) ?? subscribe(bus, subject)
  ofBus.set(subject, shared)
  shared.handlers.add(handle)
  return {
    unsubscribe() {
      shared.handlers.delete(handle)
      if (shared.handlers.size > 0 || ofBus.get(subject) !== shared) return
      shared.subscription.unsubscribe()
      ofBus.delete(subject)
    },
  }
}

function subscribe(bus: Bus, subject: string): Shared {
  const handlers = new Set<Handle>()
  const subscription = listen(bus, subject, (message) => {
    const announcement = readPayload(message, nodeAnnouncement)
    for (const handle of handlers) handle(announcement)
  })
  return { handlers, subscription }
}
