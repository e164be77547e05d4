import type { ControlOrder } from '@parley/contracts/bus/control'
import { ApiError } from '@parley/contracts/errors'
import { closeSocket } from '../connections/close-socket.ts'
import type { Session, UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'
import type { RoomInterest } from '../delivery/room-interest.ts'
import { topicOf } from '../delivery/topics.ts'
import type { Logins } from '../logins/logins.ts'
import type { WatchPresence } from '../presence/watch-presence.ts'

export interface ControlParts {
  sockets: Sockets
  interest: RoomInterest
  queue: DeliveryQueue
  logins: Logins
  watching: Pick<WatchPresence, 'moved'>
}

/**
 * Makes the handler of node commands. It settles when the command is in effect for every socket of this node: events of
 * a joined room arrive, those of a left one no longer do, revoked sockets and those of a deleted app are disconnected.
 */
export function createControlHandler({
  sockets,
  interest,
  queue,
  logins,
  watching,
}: ControlParts): (app: string, order: ControlOrder) => Promise<void> {
  return async (app, order) => {
    // Earlier events go to the earlier members.
    queue.drain()
    if (order.do === 'revoked') {
      logins.revoked(app, order.tokens)
      for (const socket of sockets.ofUser(app, order.user)) handleOrder(socket, order)
      return
    }
    if (order.do === 'appDeleted') {
      logins.appDeleted(app)
      for (const socket of [...sockets.all()]) if (socket.data.session?.app === app) handleOrder(socket, order)
      return
    }
    if (order.do === 'left') watching.moved(app, order.users)
    let isConcerned = false
    for (const user of order.users) {
      for (const socket of sockets.ofUser(app, user)) {
        isConcerned = true
        handleOrder(socket, order)
      }
    }
    if (isConcerned && order.do === 'joined') await interest.effective()
  }
}

function handleOrder(socket: UserSocket, order: ControlOrder): void {
  const { session } = socket.data
  if (!session) return
  session.orders?.push(order)
  carryOut(socket, session, order)
}

/** Carries out the node command for one socket. */
export function carryOut(socket: UserSocket, session: Session, order: ControlOrder): void {
  switch (order.do) {
    case 'joined':
      socket.join(topicOf({ app: session.app, room: order.room }))
      break
    case 'left':
      socket.leave(topicOf({ app: session.app, room: order.room }))
      break
    case 'revoked':
      if (!order.tokens.includes(session.tokenDigest)) break
      if (order.renewedBy) {
        session.tokenDigest = order.renewedBy.token
        session.expiresAt = new Date(order.renewedBy.expiresAtMS)
      } else if (order.because === 'banned') closeSocket(socket, 'user banned')
      else closeSocket(socket, 'token ended')
      break
    case 'appDeleted':
      closeSocket(socket, 'app deleted')
      break
    default:
      throw new ApiError('INTERNAL_ERROR', 'unknown order')
  }
}
