import type { ControlOrder } from '@parley/contracts/bus/control'
import { ApiError } from '@parley/contracts/errors'
import { LRUCache } from 'lru-cache'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { RoomInterest } from './room-interest.ts'
import type { Session, UserSocket } from './session.ts'
import { socketRoom } from './socket-rooms.ts'
import type { Sockets } from './sockets.ts'

/** Digests of tokens revoked a moment ago: a socket that authenticates at the same time must not slip through. */
export interface RecentRevocations {
  has(token: string): boolean
  note(tokens: readonly string[]): void
}

const rememberMS = 30_000

export function createRecentRevocations(): RecentRevocations {
  const digests = new LRUCache<string, true>({ max: 100_000, ttl: rememberMS })
  return {
    has: (token) => digests.has(token),
    note: (tokens) => {
      for (const token of tokens) digests.set(token, true)
    },
  }
}

export interface ControlParts {
  sockets: Sockets
  interest: RoomInterest
  queue: DeliveryQueue
  revocations: RecentRevocations
}

/**
 * Makes the handler of control orders: it settles when the order holds for every socket of this node
 * (a room joined is heard from the bus, a room left is heard no more, a revoked socket is disconnected).
 */
export function createControlHandler({
  sockets,
  interest,
  queue,
  revocations,
}: ControlParts): (app: string, order: ControlOrder) => Promise<void> {
  return async (app, order) => {
    // What came before the order goes to those who were there before it.
    queue.drain()
    if (order.do === 'revoked') {
      revocations.note(order.tokens ?? [])
      for (const socket of sockets.ofUser(app, order.user)) obey(socket, order)
      return
    }
    for (const user of order.users) for (const socket of sockets.ofUser(app, user)) obey(socket, order)
    if (order.do === 'joined') await interest.effective()
  }
}

function obey(socket: UserSocket, order: ControlOrder): void {
  const { session } = socket.data
  if (!session) return
  if (session.early) session.early.push(order)
  else carryOut(socket, session, order)
}

/** Does to one socket what the order says. */
export function carryOut(socket: UserSocket, session: Session, order: ControlOrder): void {
  switch (order.do) {
    case 'joined':
      socket.join(socketRoom({ app: session.app, room: order.room }))
      break
    case 'left':
      socket.leave(socketRoom({ app: session.app, room: order.room }))
      break
    case 'revoked':
      // A Socket.IO disconnect: the stock client takes it as final and does not come back by itself.
      if (!order.tokens || order.tokens.includes(session.token)) socket.disconnect(true)
      break
    default:
      throw new ApiError('INTERNAL_ERROR', 'unknown order')
  }
}
