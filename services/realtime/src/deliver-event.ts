import type { IncomingEvent } from '@parley/bus/incoming'
import { serverEvents } from '@parley/contracts/socket/server-events'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData, UserSocket } from './session.ts'
import { socketRoom } from './socket-rooms.ts'
import type { Sockets } from './sockets.ts'

/**
 * Hands an event from the bus to the sockets of its room or user. The payload goes out as the bytes that
 * came in. Answers how many sockets got it.
 */
export function deliverEvent(server: SocketServer<SocketData>, sockets: Sockets, event: IncomingEvent): number {
  if (!Object.hasOwn(serverEvents, event.event)) return 0
  const room = socketRoom(event.to)
  const except = excepted(sockets, event)
  return except.length === 0
    ? server.publish(room, event.event, event.data)
    : server.publish(room, event.event, event.data, { except })
}

function excepted(sockets: Sockets, event: IncomingEvent): UserSocket[] {
  const { to, exceptUser, exceptDevice } = event
  if (exceptUser !== undefined) return [...sockets.ofUser(to.app, exceptUser)]
  if (exceptDevice === undefined || !('user' in to)) return []
  return [...sockets.ofUser(to.app, to.user)].filter((socket) => socket.data.session?.device === exceptDevice)
}
