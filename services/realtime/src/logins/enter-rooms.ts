import type { Session, UserSocket } from '../connections/session.ts'
import { topicOf } from '../delivery/topics.ts'
import { carryOut } from '../nodes/control.ts'

/**
 * Puts a socket into the rooms that were read for its user and removes it from all others, then carries out the orders
 * that arrived during the reading.
 */
export function enterRooms(socket: UserSocket, session: Session, rooms: readonly string[]): void {
  const { app, user } = session
  const wanted = new Set([topicOf({ app, user }), ...rooms.map((room) => topicOf({ app, room }))])
  for (const { name } of [...(socket.topics ?? [])]) if (!wanted.has(name)) socket.leave(name)
  for (const name of wanted) socket.join(name)
  session.enteredAtMS = performance.now()
  const { orders = [] } = session
  session.orders = undefined
  for (const order of orders) carryOut(socket, session, order)
}
