import type { IncomingEvent } from '@parley/bus/events/incoming'
import { createRecent } from '@parley/bus/events/recent'
import type { DeliveriesAnswer } from '@parley/contracts/bus/node-requests'
import { topicOf } from './topics.ts'

/** To how many sockets of this node messages went, as long as it remembers: the last 50,000 at least, or for some minutes. */
export interface DeliveredMessages {
  note(event: IncomingEvent, sockets: number): void
  of(room: { app: string; room: string }, message: string): DeliveriesAnswer
}

/** A message is handed on again only after the bus was away. */
const mostPerMessage = 10

export function createDeliveredMessages(): DeliveredMessages {
  const delivered = createRecent<DeliveriesAnswer>()
  const nameOf = (topic: string, message: string) => `${topic}\0${message}`
  return {
    note(event, sockets) {
      const isNew = event.event === 'chat message' || event.event === 'thread message'
      if (!isNew || event.id === undefined) return
      const name = nameOf(topicOf(event.to), event.id)
      const before = delivered.get(name) ?? []
      delivered.set(name, [...before, { sockets, atMS: Date.now() }].slice(-mostPerMessage))
    },
    of: (room, message) => delivered.get(nameOf(topicOf(room), message)) ?? [],
  }
}
