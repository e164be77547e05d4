import { clock } from '@parley/async/clock'
import type { Bus } from '@parley/bus/connect'
import { answerNodeRequests } from '@parley/bus/control/ask-nodes'
import {
  type ConnectionsAnswer,
  connectionsRequest,
  type DeliveriesAnswer,
  deliveriesRequest,
} from '@parley/contracts/bus/node-requests'
import type { UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { DeliveryLog } from '../delivery/delivery-log.ts'

interface NodeRequestParts {
  bus: Bus
  node: string
  sockets: Sockets
  deliveryLog: DeliveryLog
}

/** Responds to gateways' requests to this node: a user's connections, and deliveries of messages. */
export function answerRequests(parts: NodeRequestParts): { unsubscribe(): void } {
  const { bus, node, sockets, deliveryLog } = parts
  const connections = answerNodeRequests(bus, node, {
    request: 'connections',
    schema: connectionsRequest,
    answer: ({ app, user }): ConnectionsAnswer => [...sockets.ofUser(app, user)].flatMap(describe),
  })
  const deliveries = answerNodeRequests(bus, node, {
    request: 'deliveries',
    schema: deliveriesRequest,
    answer: ({ app, messages }): DeliveriesAnswer =>
      messages.flatMap(({ room, message }) =>
        deliveryLog
          .of({ app, room }, message)
          .map(({ sockets, atMS, caughtUp }) =>
            caughtUp ? { message, sockets, atMS, caughtUp } : { message, sockets, atMS },
          ),
      ),
  })
  return {
    unsubscribe: () => {
      connections.unsubscribe()
      deliveries.unsubscribe()
    },
  }
}

/** Unshortened, a client's text could fill the response. */
const maxTextLength = 256

function describe(socket: UserSocket): ConnectionsAnswer {
  const { session } = socket.data
  if (!session) return []
  const { clientVersion } = socket.auth
  return [
    {
      device: session.device,
      transport: socket.transport,
      sinceMS: session.sinceMS,
      lastSeenMS: clock.now() - Math.max(0, Math.round(performance.now() - socket.connection.heardAtMS)),
      userAgent: (socket.connection.headers['user-agent'] ?? '').slice(0, maxTextLength),
      ...(typeof clientVersion === 'string' && { clientVersion: clientVersion.slice(0, maxTextLength) }),
    },
  ]
}
