import { clock } from '@parley/async/clock'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createRecent } from '@parley/bus/events/recent'
import type { DeliveriesAnswer } from '@parley/contracts/bus/node-requests'
import { isNewMessage } from '@parley/contracts/socket/server-events'
import { topicOf } from './topics.ts'

type Delivery = Omit<DeliveriesAnswer[number], 'message'>

/** A message is delivered again only after the bus was away. */
const maxPerMessage = 10

/**
 * The number of this node's sockets that each message reached, for at least the last 50,000 messages, or for some minutes.
 * Replays are kept apart, so that a storm of returning clients does not evict live deliveries.
 */
export function createDeliveryLog() {
  const delivered = createRecent<Delivery[]>()
  const caughtUp = createRecent<Delivery>()
  const nameOf = (topic: string, message: string) => `${topic}\0${message}`
  const nameOfNew = ({ event, id, to }: IncomingEvent) =>
    isNewMessage(event) && id !== undefined ? nameOf(topicOf(to), id) : undefined
  return {
    record(event: IncomingEvent, sockets: number) {
      const name = nameOfNew(event)
      if (name === undefined) return
      const before = delivered.get(name) ?? []
      delivered.set(name, [...before, { sockets, atMS: clock.now() }].slice(-maxPerMessage))
    },
    /** The same for sockets that got it in a replay. */
    recordReplay: (event: IncomingEvent, sockets: number) => {
      const name = nameOfNew(event)
      if (name === undefined) return
      const before = caughtUp.get(name)?.sockets ?? 0
      caughtUp.set(name, { sockets: before + sockets, atMS: clock.now(), caughtUp: true })
    },
    of(room: { app: string; room: string }, message: string) {
      const name = nameOf(topicOf(room), message)
      const later = caughtUp.get(name)
      return [...(delivered.get(name) ?? []), ...(later ? [later] : [])]
    },
  }
}
export type DeliveryLog = ReturnType<typeof createDeliveryLog>
