import { headers } from '@nats-io/nats-core'
import { type MembersChange, maxClientsPerOrder, type PushToClientsOrder } from '@parley/contracts/bus/push-orders'
import { membersChangeSubject, pushToClientsSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from './connect.ts'
import { BusAway } from './publish.ts'

/**
 * Hands a push to clients to the push service, in several orders when there are many. Settles when the stream has it.
 * @throws BusAway
 */
export async function publishPushToClients(bus: Bus, app: string, order: PushToClientsOrder): Promise<void> {
  for (let i = 0; i < order.clients.length; i += maxClientsPerOrder) {
    const id = i === 0 ? order.id : `${order.id}:${i}`
    const part = { ...order, id, clients: order.clients.slice(i, i + maxClientsPerOrder) }
    await publish(bus, pushToClientsSubject(app), part)
  }
}

/**
 * Tells the room's webhook, if it has one, who came or left. Settles when the stream has it.
 * @throws BusAway
 */
export async function publishMembersChange(bus: Bus, app: string, change: MembersChange): Promise<void> {
  await publish(bus, membersChangeSubject(app), change)
}

async function publish(bus: Bus, subject: string, order: { id: string }): Promise<void> {
  if (!bus.connected) throw new BusAway(`NATS is away: ${subject}`)
  const set = headers()
  set.set('Nats-Msg-Id', order.id)
  try {
    await bus.publishToStream(subject, JSON.stringify(order), set)
  } catch (error) {
    throw new BusAway(`the stream did not acknowledge ${subject}`, { cause: error })
  }
}
