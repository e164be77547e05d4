import { headers } from '@nats-io/nats-core'
import type { ClientsPush, MembersChange } from '@parley/contracts/bus/push-work'
import { membersChangeSubject, pushToClientsSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { type Again, publishCaptured, setAgain } from './publish.ts'

/**
 * Hands a push to clients to the push service. Settles when the stream has it.
 * @throws BusAway, BusRefuses
 */
export async function publishPushToClients(bus: Bus, app: string, push: ClientsPush, again?: Again): Promise<void> {
  await publish(bus, pushToClientsSubject(app), push, again)
}

/**
 * Publishes joins and leaves of a room, for its webhook. Settles when the stream has it.
 * @throws BusAway, BusRefuses
 */
export async function publishMembersChange(bus: Bus, app: string, change: MembersChange, again?: Again): Promise<void> {
  await publish(bus, membersChangeSubject(app), change, again)
}

async function publish(bus: Bus, subject: string, work: { id: string }, again: Again | undefined): Promise<void> {
  const set = headers()
  set.set('Nats-Msg-Id', work.id)
  if (again) setAgain(set, again)
  await publishCaptured(bus, subject, JSON.stringify(work), set)
}
