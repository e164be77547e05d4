import { clock } from '@parley/async/clock'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createRecent } from '@parley/bus/events/recent'
import type { DeliveriesAnswer } from '@parley/contracts/bus/node-requests'
import { isNewMessage } from './in-order.ts'
import { topicOf } from './topics.ts'

/**
 * To how many sockets of this node messages went, as long as it remembers: the last 50,000 at least, or for some minutes.
 * Those that were caught up are remembered apart, so that a storm of clients that come back does not make it forget the others.
 */
export interface DeliveredMessages {
  note(event: IncomingEvent, sockets: number): void
  /** The same of sockets that got it when they caught up. */
  noteCaughtUp: (event: IncomingEvent, sockets: number) => void
  of(room: { app: string; room: string }, message: string): DeliveriesAnswer
}

/** A message is handed on again only after the bus was away. */
const mostPerMessage = 10

export function createDeliveredMessages(): DeliveredMessages {
  const delivered = createRecent<DeliveriesAnswer>()
  const caughtUp = createRecent<DeliveriesAnswer[number]>()
  const nameOf = (topic: string, message: string) => `${topic}\0${message}`
  const nameOfNew = ({ event, id, to }: IncomingEvent) =>
    isNewMessage(event) && id !== undefined ? nameOf(topicOf(to), id) : undefined
  return {
    note(event, sockets) {
      const name = nameOfNew(event)
      if (name === undefined) return
      const before = delivered.get(name) ?? []
      delivered.set(name, [...before, { sockets, atMS: clock.now() }].slice(-mostPerMessage))
    },
    noteCaughtUp(event, sockets) {
      const name = nameOfNew(event)
      if (name === undefined) return
      const before = caughtUp.get(name)?.sockets ?? 0
      caughtUp.set(name, { sockets: before + sockets, atMS: clock.now(), caughtUp: true })
    },
    of(room, message) {
      const name = nameOf(topicOf(room), message)
      const later = caughtUp.get(name)
      return [...(delivered.get(name) ?? []), ...(later ? [later] : [])]
    },
  }
}
