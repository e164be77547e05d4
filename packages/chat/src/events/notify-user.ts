import type { EventPayload, UserEvent } from '@parley/contracts/socket/server-events'
import { newId } from '@parley/db/messages/messages'
import type { PendingEvents } from './change-and-notify.ts'

/** Adds an event for a user's devices, except the calling one. */
export function notifyUser<E extends UserEvent>(
  pending: PendingEvents,
  { app, user }: { app: string; user: string },
  event: E,
  payload: EventPayload<E>,
  exceptDevice?: string,
): void {
  const except = exceptDevice !== undefined && { exceptDevice }
  const json = JSON.stringify(payload)
  pending.push({ kind: 'event', id: newId(), to: { app, user }, event, json, ...except })
}
