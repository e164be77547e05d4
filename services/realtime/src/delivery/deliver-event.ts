import type { IncomingEvent } from '@parley/bus/events/incoming'
import { serverEvents } from '@parley/contracts/socket/server-events'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData, UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { Redelivery } from './deliver-once.ts'
import { topicOf } from './topics.ts'

/**
 * Sends an event from the bus to the sockets of its room or user, with the payload's bytes unchanged. Returns the
 * number of sockets.
 */
export function deliverEvent(
  server: SocketServer<SocketData>,
  sockets: Sockets,
  event: IncomingEvent,
  redelivery?: Redelivery,
): number {
  if (!Object.hasOwn(serverEvents, event.event)) return 0
  const topic = topicOf(event.to)
  const except = [...excepted(sockets, event), ...(redelivery?.except ?? [])]
  const about = { id: event.id, exceptBuffering: redelivery !== undefined, sentAtMS: event.acceptedAtMS }
  return server.publish(topic, event.event, event.data, except.length === 0 ? about : { ...about, except })
}

/**
 * The same for sockets that joined after a time (`performance.now()`); checks no socket if none has joined since.
 * Sockets with a replay buffer read the event from the stream instead, in order.
 */
export function deliverToNewer(
  server: SocketServer<SocketData>,
  sockets: Sockets,
  event: IncomingEvent,
  thanMS: number,
): number {
  const topic = topicOf(event.to)
  if (server.joinedAtMS(topic) <= thanMS) return 0
  const except = new Set(excepted(sockets, event))
  const { acceptedAtMS = Number.POSITIVE_INFINITY } = event
  const newer = [...sockets.all()].filter((socket) => {
    const { enteredAtMS = 0 } = socket.data.session ?? {}
    return enteredAtMS > thanMS && socket.gets(topic, acceptedAtMS) && !except.has(socket)
  })
  const ready = newer.filter(({ replayBuffer }) => replayBuffer === undefined)
  for (const { replayBuffer } of newer) replayBuffer?.lose()
  server.sendTo(ready, event.event, event.data)
  return ready.length
}

function excepted(sockets: Sockets, event: IncomingEvent): UserSocket[] {
  const { to, exceptUser, exceptDevice } = event
  if (exceptUser !== undefined) return [...sockets.ofUser(to.app, exceptUser)]
  if (exceptDevice === undefined || !('user' in to)) return []
  return [...sockets.ofUser(to.app, to.user)].filter((socket) => socket.data.session?.device === exceptDevice)
}
