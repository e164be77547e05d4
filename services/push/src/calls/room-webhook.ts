import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { readEvent } from '@parley/bus/events/incoming'
import { readRepublished } from '@parley/bus/events/publish'
import { readPayload, type Schema } from '@parley/bus/read-payload'
import type { MessageHandler, StreamMessage } from '@parley/bus/stream/consume'
import { waitedCallData } from '@parley/chat/integrations/call-data'
import { webhookUrlOf } from '@parley/chat/integrations/webhook-keys'
import { isShownRecalled } from '@parley/chat/messages/changing/recalled'
import { type MembersChange, membersChange } from '@parley/contracts/bus/push-work'
import { parsePushSubject } from '@parley/contracts/bus/subjects'
import { allMessages } from '@parley/contracts/operations/messages/deletions'
import type { Message } from '@parley/contracts/resources/message'
import type { WebhookEvent } from '@parley/contracts/resources/webhook'
import { type ServerEvent, serverEvents } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { forgetAnswersOfMessage, forgetAnswersOfRoom } from '@parley/db/push/call-history'
import { targetOf } from '@parley/db/push/outgoing-calls'
import { findWebhooks } from '@parley/db/rooms/rooms'
import type { Logger } from '@parley/service/log'
import type { z } from 'zod'
import { forgetTexts, forgetTextsOfRoom } from '../recipients/forget-texts.ts'
import { messageView } from '../recipients/push-message.ts'
import type { NotificationRemoval } from '../recipients/remove-notifications.ts'
import type { QueueCall } from './outgoing-call.ts'

/** After this long in the stream, an event's content may have been deleted. */
const waitedMS = 1_000

interface Trigger {
  app: string
  room: string
  event: WebhookEvent
  client: string
  data: unknown
  request?: string
}

interface ToQueue {
  message: StreamMessage
  /** Undefined when webhooks do not receive it. */
  trigger: Trigger | undefined
  /** For an event republished after the stream was lost: its position among the earlier ones. */
  position: number | undefined
}

interface WebhookParts {
  db: Db
  queueCall: QueueCall
  removal: Pick<NotificationRemoval, 'ofMembers' | 'ofMessage' | 'ofRoom'>
  log: Logger
}

/** Creates the handler that queues calls to room webhooks. Rooms without one share a query over many events. */
export function createWebhookQueue(parts: WebhookParts): MessageHandler<ToQueue> {
  const { db, queueCall, log } = parts
  const webhookOf = batched(
    async (rooms: string[]) => {
      const webhooks = await findWebhooks(db, [...new Set(rooms)])
      return rooms.map((room) => webhooks.get(room))
    },
    { max: 1_000, concurrency: 4 },
  )

  const handle = async ({ message, trigger, position }: ToQueue) => {
    if (!trigger) return
    await forgetDeleted(parts, trigger, position ?? message.streamSeq)
    const { app, room, event, client, request } = trigger
    const queue = key(app, room)
    const webhook = await webhookOf(queue)
    if (webhook === undefined) return
    const origin = originOf((await webhookUrlOf(db, app, webhook)) ?? '')
    if (origin === undefined) {
      log.debug({ app, room }, 'webhook not called: it is a key that webhookKeys lacks')
      return
    }
    const data = JSON.stringify(await wholeData(db, trigger))
    const about = { _id: `hook_${message.id}`, app, room, event, client, data }
    const waited = clock.now() - message.takenAtMS > waitedMS && { data: await waitedCallData(db, about) }
    const call = {
      ...about,
      ...waited,
      queue,
      target: targetOf('webhook', origin),
      order: position ?? message.streamSeq,
    }
    await queueCall({ ...call, kind: 'webhook', ...(request !== undefined && { request }) })
  }
  return {
    read: (message, raw) => ({
      message,
      position: readRepublished(raw.headers)?.position,
      trigger: message.subject.startsWith('parley.push.') ? ofMembers(message) : ofEvent(message, raw),
    }),
    handle,
  }
}

/**
 * Erases the stored responses to calls about a deleted or recalled message, or about the whole room, and the text of its
 * pushes. Removes their notifications, also those of a deleted room and of removed members.
 */
async function forgetDeleted(
  { db, removal }: Pick<WebhookParts, 'db' | 'removal'>,
  { app, room, event, data }: Trigger,
  order: number,
): Promise<void> {
  if (event === 'DELETE_MEMBERS') return removal.ofMembers(app, room, (data as Pick<MembersChange, 'members'>).members)
  const { messageID, _id, status } = data as { messageID?: string; _id?: string; status?: number }
  if (event === 'ROOM' && status === 0) return removal.ofRoom(app, room)
  if (event === 'MESSAGE_DELETED' && messageID === allMessages) {
    await forgetAnswersOfRoom(db, { app, room }, { beforeOrder: order })
    await forgetTextsOfRoom(db, app, room)
    await removal.ofRoom(app, room)
    return
  }
  const message = event === 'MESSAGE_DELETED' ? messageID : isShownRecalled(data as Message) ? _id : undefined
  if (message === undefined) return
  await forgetAnswersOfMessage(db, app, message)
  await forgetTexts(db, app, [message])
  await removal.ofMessage(app, message)
}

const namesOfEvents = {
  'chat message': 'MESSAGE',
  'thread message': 'MESSAGE',
  messageUpdated: 'MESSAGE_UPDATED',
  messageDeleted: 'MESSAGE_DELETED',
  room: 'ROOM',
} as const satisfies Partial<Record<ServerEvent, WebhookEvent>>
type RoomEvent = keyof typeof namesOfEvents
const isForWebhooks = (event: string): event is RoomEvent => Object.hasOwn(namesOfEvents, event)

function ofEvent(message: StreamMessage, raw: Parameters<typeof readEvent>[1]): Trigger | undefined {
  const { to, event, webhook, request, by } = readEvent(message, raw)
  if (!('room' in to) || webhook === false) return undefined
  if (!isForWebhooks(event)) throw new Error(`webhooks do not receive ${event}`)
  const given = readPayload(message, asGiven(serverEvents[event].payload))
  // Absent for a new message, or a change by the API key.
  const client = by ?? (event === 'room' ? '' : (senderOf(given) ?? ''))
  // The Room, plus the fields of the other events.
  const data = event === 'room' ? { ...given, room: to.room, sender: client } : given
  return { ...to, client, event: namesOfEvents[event], data, ...(request !== undefined && { request }) }
}

function senderOf(data: object): string | undefined {
  return 'sender' in data ? (data as { sender: { _id: string } }).sender._id : undefined
}

/** Validates without changing the value, which keeps fields added by a newer release. */
function asGiven(schema: z.ZodType): Schema<object> {
  return {
    safeParse(value) {
      const checked = schema.safeParse(value)
      return checked.success ? { success: true, data: value as object } : { success: false, error: checked.error }
    },
  }
}

function ofMembers(message: StreamMessage): Trigger {
  const { event, room, sender = '', members, request } = readPayload(message, membersChange)
  const app = parsePushSubject(message.subject)
  const data = { room, sender, members }
  return { app, room, event, client: sender, data, ...(request !== undefined && { request }) }
}

/** The deletion event has only the message's ID; the webhook gets the Message, now a stub. */
async function wholeData(db: Db, { app, room, event, data }: Trigger): Promise<unknown> {
  if (event !== 'MESSAGE_DELETED') return data
  const { messageID } = data as { messageID: string }
  const [found] = messageID === allMessages ? [] : await findMessages(db, [messageID], { app, room })
  return found ? messageView(db, found) : data
}

/** The origin of a webhook; undefined for anything that is not a URL to call. */
export function originOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : undefined
}
