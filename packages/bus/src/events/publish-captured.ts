import { headers, type MsgHdrs } from '@nats-io/nats-core'
import type { ClientsPush, MembersChange } from '@parley/contracts/bus/push-work'
import { type Audience, feedSubject, membersChangeSubject, pushToClientsSubject } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { Bus } from '../connect.ts'
import { type Again, publishCaptured, setAgain } from './publish.ts'

/** An event for the integrator's feed only, with its payload as JSON text. */
export interface OutgoingFeedEvent {
  id: string
  to: Audience
  event: FeedOnlyEvent
  json: string
  /** Set if the event is published again. */
  again?: Again
}

/** Publishes an event to the integrator's feed. Settles when the stream has it. @throws BusAway, BusRefuses */
export async function publishFeedEvent(bus: Bus, { id, to, event, json, again }: OutgoingFeedEvent): Promise<void> {
  await publishCaptured(bus, feedSubject(to, event), json, headersOf(id, again))
}

/** Publishes a push to clients for the push service. Settles when the stream has it. @throws BusAway, BusRefuses */
export async function publishPushToClients(bus: Bus, app: string, push: ClientsPush, again?: Again): Promise<void> {
  await publishCaptured(bus, pushToClientsSubject(app), JSON.stringify(push), headersOf(push.id, again))
}

/**
 * Publishes joins and leaves of a room for its webhook. Settles when the stream has them.
 * @throws BusAway, BusRefuses
 */
export async function publishMembersChange(bus: Bus, app: string, change: MembersChange, again?: Again): Promise<void> {
  const subject = membersChangeSubject(app, change.room)
  await publishCaptured(bus, subject, JSON.stringify(change), headersOf(change.id, again))
}

function headersOf(id: string, again: Again | undefined): MsgHdrs {
  const set = headers()
  set.set('Nats-Msg-Id', id)
  if (again) setAgain(set, again)
  return set
}
