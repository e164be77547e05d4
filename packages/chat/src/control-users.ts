import { BusAway } from '@parley/bus/publish'
import { type ControlOrder, maxUsersPerOrder } from '@parley/contracts/bus/control'
import type { Chat } from './chat.ts'

/** Tells all realtime nodes that users joined or left a room, and waits until they have done it. */
export async function controlMembers(
  chat: Chat,
  app: string,
  change: 'joined' | 'left',
  room: string,
  users: readonly string[],
): Promise<void> {
  for (let i = 0; i < users.length; i += maxUsersPerOrder) {
    await giveOrder(chat, app, { do: change, room, users: users.slice(i, i + maxUsersPerOrder) })
  }
}

/** Disconnects the sockets that came by these tokens of the user, on all nodes. */
export async function controlRevoked(chat: Chat, app: string, user: string, tokens: readonly string[]): Promise<void> {
  if (tokens.length > 0) await giveOrder(chat, app, { do: 'revoked', user, tokens: [...tokens] })
}

/**
 * What is in the database holds even when the bus is away: a node that was cut off reads memberships
 * and tokens again before it delivers anything more.
 */
async function giveOrder(chat: Chat, app: string, order: ControlOrder): Promise<void> {
  try {
    const { silent } = await chat.control.give(app, order)
    if (silent.length > 0) chat.log.warn({ order: order.do, silent }, 'realtime nodes did not confirm an order')
  } catch (error) {
    if (!(error instanceof BusAway)) throw error
    chat.log.warn({ err: error, order: order.do }, 'order not given: the bus is away')
  }
}
