import { headers } from '@nats-io/nats-core'
import type { MembersChange, PushToClientsOrder } from '@parley/contracts/bus/push-orders'
import { membersChangeSubject, pushToClientsSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { type Again, publishCaptured, setAgain } from './publish.ts'

/**
 * Hands a push to clients to the push service. Settles when the stream has it.
 * @throws BusAway, BusRefuses
 */
export async function publishPushToClients(
  bus: Bus,
  app: string,
  order: PushToClientsOrder,
  again?: Again,
): Promise<void> {
  await publish(bus, pushToClientsSubject(app), order, again)
}

/**
 * Publishes joins and leaves of a room, for its webhook. Settles when the stream has it.
 * @throws BusAway, BusRefuses
 */
export async function publishMembersChange(bus: Bus, app: string, change: MembersChange, again?: Again): Promise<void> {
  await publish(bus, membersChangeSubject(app), change, again)
}

async function publish(bus: Bus, subject: string, order: { id: string }, again: Again | undefined): Promise<void> {
  const set = headers()
  set.set('Nats-Msg-Id', order.id)
  if (again) setAgain(set, again)
  await publishCaptured(bus, subject, JSON.stringify(order), set)
}
