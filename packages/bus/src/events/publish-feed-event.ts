import { headers } from '@nats-io/nats-core'
import { type Audience, feedSubject } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent } from '@parley/contracts/resources/feed-event'
import type { Bus } from '../connect.ts'
import { type Again, publishCaptured, setAgain } from './publish.ts'

/** An event that only the integrator's feed has; the payload as JSON text. */
export interface OutgoingFeedEvent {
  id: string
  to: Audience
  event: FeedOnlyEvent
  json: string
  /** The bus has had it before. */
  again?: Again
}

/**
 * Publishes an event for the integrator's feed. Settles when the stream has it.
 * @throws BusAway, BusRefuses
 */
export async function publishFeedEvent(bus: Bus, { id, to, event, json, again }: OutgoingFeedEvent): Promise<void> {
  const set = headers()
  set.set('Nats-Msg-Id', id)
  if (again) setAgain(set, again)
  await publishCaptured(bus, feedSubject(to, event), json, set)
}
