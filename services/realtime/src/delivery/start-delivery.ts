import { publishMissing } from '@parley/chat/events/relay'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData } from '../connections/session.ts'
import { deliveredCounter, deliveryDelay } from '../connections/socket-metrics.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { NodeParts } from '../node-parts.ts'
import { deliverEvent, deliverToNewer } from './deliver-event.ts'
import { type CutOff, createDelivery } from './deliver-once.ts'
import { createDeliveryLog } from './delivery-log.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import type { Missing } from './in-order.ts'
import { createLiveOrder } from './live-order.ts'
import { createRoomInterest } from './room-interest.ts'
import { audienceOf } from './topics.ts'

type Parts = Pick<NodeParts, 'chat' | 'bus' | 'settings' | 'log' | 'metrics' | 'tracing' | 'figures'> & {
  sockets: Sockets
  server: () => SocketServer<SocketData>
  cutOff: () => CutOff
}

/** The steps of an event in a node: received, batched with others of the turn, ordered, delivered to each socket once. */
export function startDelivery(parts: Parts) {
  const { chat, bus, settings, log, metrics, figures, sockets, server } = parts
  const [delivered, deliveryLog] = [deliveredCounter(metrics), createDeliveryLog()]
  const delivery = createDelivery({
    ...parts,
    send: (event, redelivery) => deliverEvent(server(), sockets, event, redelivery),
    sendToNewer: (event, thanMS) => deliverToNewer(server(), sockets, event, thanMS),
    recordDelivered(event, count) {
      deliveryLog.record(event, count)
      if (count > 0) figures.add(event.to.app, 'deliveries', count)
    },
    delivered,
    delay: deliveryDelay(metrics),
  })
  const fetch = async ({ topic, ...missing }: Missing) => {
    try {
      const to = audienceOf(topic)
      return 'room' in to ? await publishMissing(chat, { ...to, ...missing }) : undefined
    } catch (error) {
      log.warn({ err: error, topic, ...missing }, 'missing messages of a room not fetched: later ones are delivered')
      return undefined
    }
  }
  const order = createLiveOrder({
    waitMS: settings.orderWaitMS,
    deliver: (event) => delivery.deliver(event),
    fetch,
    metrics,
    queue: () => queue,
    interest: () => interest,
  })
  const queue = createDeliveryQueue((event) => order.take(event))
  const interest = createRoomInterest(
    bus,
    (event) => queue.add(event),
    (topic) => {
      queue.forget(topic)
      order.forget(topic)
    },
  )
  return {
    ...{ order, fetch, queue, interest, delivered, deliveryLog, waitMS: settings.orderWaitMS },
    redeliver: delivery.redeliver,
  }
}
