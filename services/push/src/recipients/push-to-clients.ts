import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { readRepublished } from '@parley/bus/events/publish'
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
import { createMissedPusher, type PushMissedParts } from './push-missed.ts'
import { createReminderPusher } from './push-reminder.ts'

interface PushToClientsParts extends PushMissedParts {
  pushMessage: MessageHandler<MessageEvent>
}

interface ClientsPushEvent {
  app: string
  /** When it was requested; a republished event has waited since. */
  givenAtMS: number
  push: ClientsPush
  raw: StreamMessage
}

/** Creates the handler of push2clients, which pushes to every registered device, connected or not. */
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
    // A republished event may be older than the deduplication of pushes.
    if (givenAtMS + keepMS < clock.now()) return
    const content = key(app, id)
    const pushContent: PushContent = { of: 'clients', id, payload, ...(request !== undefined && { request }) }
    await insertPushContent(db, content, JSON.stringify(pushContent))
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
      givenAtMS: readRepublished(raw.headers)?.atMS ?? message.takenAtMS,
      push: readPayload(message, clientsPush),
      raw: message,
    }),
    handle,
  }
}

/** Pushes a completed streamed message as if it had just been sent. */
async function pushStreamed(
  { db, pushMessage }: PushToClientsParts,
  { app, room, id, givenAtMS, raw }: { app: string; room: string; id: string; givenAtMS: number; raw: StreamMessage },
): Promise<void> {
  const found = await findSentMessage(db, key(app, room), id)
  if (!found || found.isDeleted) return
  // Marked as republished, so that decided pushes are not repeated.
  const republished = { atMS: givenAtMS }
  const event = { ...raw, to: { app, room }, event: 'chat message' as const, republished }
  await pushMessage.handle({ event, message: await messageView(db, found) })
}
