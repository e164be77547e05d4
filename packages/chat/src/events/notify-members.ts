import type { EventPayload } from '@parley/contracts/socket/server-events'
import { newId } from '@parley/db/messages/messages'
import type { PendingEvents } from './change-and-notify.ts'

/** Adds an event for all members of a room. The events of the Room itself and of messages carry their state at publishing: see room-news. */
export function notifyMembers(
  pending: PendingEvents,
  { app, room }: { app: string; room: string },
  event: 'lastRead',
  payload: EventPayload<'lastRead'>,
): void {
  pending.push({ kind: 'event', id: newId(), to: { app, room }, event, json: JSON.stringify(payload) })
}
