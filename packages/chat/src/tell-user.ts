import { publishEvent } from '@parley/bus/publish'
import type { EventPayload, UserEvent } from '@parley/contracts/socket/server-events'
import { newMessageId } from '@parley/db/messages'
import type { Chat } from './chat.ts'

/**
 * Sends an event to a user's devices, less the acting one. Best effort: what it tells is in the database, where a
 * device that missed it finds it.
 */
export async function tellUser<E extends UserEvent>(
  chat: Chat,
  { app, user }: { app: string; user: string },
  event: E,
  payload: EventPayload<E>,
  exceptDevice?: string,
): Promise<void> {
  const json = JSON.stringify(payload)
  const except = exceptDevice !== undefined && { exceptDevice }
  await publishEvent(chat.bus, { to: { app, user }, event, json, id: newMessageId(), ...except }).catch((error) =>
    chat.log.warn({ err: error, user, event }, 'event not published'),
  )
}
