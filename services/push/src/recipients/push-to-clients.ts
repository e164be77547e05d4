import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { readAgain } from '@parley/bus/events/publish'
import { readPayload } from '@parley/bus/read-payload'
import type { MessageHandler, StreamMessage } from '@parley/bus/stream/consume'
import { type ClientsPush, clientsPush } from '@parley/contracts/bus/push-work'
import { parsePushSubject } from '@parley/contracts/bus/subjects'
import { key } from '@parley/db/keys'
import { findSentMessage } from '@parley/db/messages/messages'
import { insertPushContent, insertPushes } from '@parley/db/push/pushes'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { PushContent } from '../networks/network.ts'
import { networkOf, pushTo } from './device-push.ts'
import { type MessageEvent, messageView } from './push-message.ts'
import { createMissedPusher } from './push-missed.ts'
import { createReminderPusher, type PushReminderParts } from './push-reminder.ts'

export interface PushToClientsParts extends PushReminderParts {
  pushMessage: MessageHandler<MessageEvent>
}

interface ClientsPushEvent {
  app: string
  /** When it was given: one that is published again has waited since then. */
  givenAtMS: number
  push: ClientsPush
  raw: StreamMessage
}

/** Makes the handler of push2clients: to every registered device of the clients, connected or not. */
export function createClientsPusher(parts: PushToClientsParts): MessageHandler<ClientsPushEvent> {
  const { db, networks, keepMS, wakeNetworks } = parts
  const [pushReminder, pushMissed] = [createReminderPusher(parts), createMissedPusher(parts)]
  const handle = async ({ app, givenAtMS, push, raw }: ClientsPushEvent) => {
    const { id, clients, payload, request, message, reminder, missed } = push
    if (message) return pushStreamed(parts, { app, ...message, givenAtMS, raw })
    if (missed) return pushMissed({ app, ...missed })
    if (reminder) return pushReminder({ app, ...reminder }, raw)
    const wantedUntilMS = payload.expiry ? payload.expiry * 1_000 : Number.POSITIVE_INFINITY
    const giveUpAtMS = Math.min(givenAtMS + keepMS, wantedUntilMS)
    // Published again, it may be older than pushes are remembered.
    if (givenAtMS + keepMS < clock.now()) return
    const content = key(app, id)
    const said: PushContent = { of: 'clients', id, payload, ...(request !== undefined && { request }) }
    await insertPushContent(db, content, JSON.stringify(said))
    for (const users of inParts(clients, 1_000)) {
      const devices = await findDevicesOfUsers(db, app, users)
      const reachable = devices.filter(({ type }) => networks.has(networkOf[type]))
      await insertPushes(
        db,
        reachable.map((device) => pushTo(device, { app, content, giveUpAtMS })),
      )
      wakeNetworks()
    }
  }
  return {
    read: (message, raw) => ({
      app: parsePushSubject(message.subject),
      givenAtMS: readAgain(raw.headers)?.atMS ?? message.takenAtMS,
      push: readPayload(message, clientsPush),
      raw: message,
    }),
    handle,
  }
}

/** A message that was streamed is whole: it is pushed as one that has just been sent. */
async function pushStreamed(
  { db, pushMessage }: PushToClientsParts,
  { app, room, id, givenAtMS, raw }: { app: string; room: string; id: string; givenAtMS: number; raw: StreamMessage },
): Promise<void> {
  const found = await findSentMessage(db, key(app, room), id)
  if (!found || found.isDeleted) return
  // Handled again, it is known by the note that its pushes were decided.
  const again = { atMS: givenAtMS }
  const event = { ...raw, to: { app, room }, event: 'chat message' as const, again }
  await pushMessage.handle({ event, message: await messageView(db, found) })
}
