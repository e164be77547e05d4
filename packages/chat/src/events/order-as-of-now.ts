import { type ControlOrder, controlOrder } from '@parley/contracts/bus/control'
import type { AsOfNow } from './as-of-now.ts'

/**
 * An order that was noted, as it holds when it is given: one that waited joins only users who are still members, and takes
 * out only those who are none now. Else who was added and removed while the bus was away would hear the room from the first
 * order to the second. One that moves nobody is given too: nodes remember its ID, so that another process that read the
 * members earlier moves nobody by it either.
 */
export async function orderAsOfNow(app: string, json: string, now: AsOfNow): Promise<ControlOrder> {
  const order = controlOrder.parse(JSON.parse(json))
  if ((order.do !== 'joined' && order.do !== 'left') || !now.members) return order
  const members = await now.members(app, order.room, order.users)
  return { ...order, users: order.users.filter((user) => members.has(user) === (order.do === 'joined')) }
}
