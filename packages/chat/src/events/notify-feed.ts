import type { Audience } from '@parley/contracts/bus/subjects'
import type { FeedOnlyEvent, FeedPayload } from '@parley/contracts/resources/feed-event'
import { newId } from '@parley/db/messages/messages'
import type { PendingEvents } from './change-and-notify.ts'

/** Adds an event for the integrator's feed, of which sockets hear nothing. */
export function notifyFeed<E extends FeedOnlyEvent>(
  pending: PendingEvents,
  to: Audience,
  event: E,
  payload: FeedPayload<E>,
): void {
  pending.push({ kind: 'feed', id: newId(), to, event, json: JSON.stringify(payload) })
}
