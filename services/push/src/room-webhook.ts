import { BadEvent, type StreamMessage } from '@parley/bus/consume'
import { toIncomingEvent } from '@parley/bus/incoming'
import { showMessage } from '@parley/chat/show-message'
import { membersChange } from '@parley/contracts/bus/push-orders'
import { parsePushSubject } from '@parley/contracts/bus/subjects'
import { allMessages } from '@parley/contracts/operations/deletions'
import type { WebhookEvent } from '@parley/contracts/resources/webhook'
import type { Db } from '@parley/db/connect'
import { gather } from '@parley/db/gather'
import { key } from '@parley/db/keys'
import { findMessage } from '@parley/db/messages'
import { findWebhooks } from '@parley/db/rooms'
import { findUser } from '@parley/db/users'
import type { Logger } from '@parley/service/log'
import { z } from 'zod'
import type { QueueCall } from './queue-calls.ts'
import { readPayload } from './read-payload.ts'

/** Something that happened in a room, as its webhook is to be told. */
interface Happened {
  app: string
  room: string
  event: WebhookEvent
  client: string
  data: unknown
  request?: string
}

type RawMessage = Parameters<typeof toIncomingEvent>[0]

/**
 * Makes the handler that queues the calls to rooms' webhooks. Rooms without one, which are most, cost a share of one
 * query for many events.
 */
export function createWebhookQueue(
  db: Db,
  queueCall: QueueCall,
  log: Logger,
): (message: StreamMessage, raw: RawMessage) => Promise<void> {
  const webhookOf = gather(
    async (rooms: string[]) => {
      const webhooks = await findWebhooks(db, [...new Set(rooms)])
      return rooms.map((room) => webhooks.get(room))
    },
    { most: 1_000, concurrency: 4 },
  )

  return async (message, raw) => {
    const happened = message.subject.startsWith('parley.push.') ? ofMembers(message) : ofEvent(message, raw)
    if (!happened) return
    const { app, room, event, client, request } = happened
    const lane = key(app, room)
    const url = await webhookOf(lane)
    if (url === undefined) return
    const target = originOf(url)
    if (target === undefined) {
      log.debug({ app, room }, 'the webhook of the room is a key and no URL: nobody to call')
      return
    }
    const data = JSON.stringify(await wholeData(db, happened))
    const call = { _id: `hook_${message.id}`, app, room, event, client, lane, target, data, order: message.streamSeq }
    await queueCall({ ...call, kind: 'webhook', ...(request !== undefined && { request }) })
  }
}

const eventPayload = z.looseObject({ sender: z.looseObject({ _id: z.string() }).optional() })

function ofEvent(message: StreamMessage, raw: RawMessage): Happened | undefined {
  const { to, event, webhook, request } = toIncomingEvent(raw)
  if (!('room' in to) || webhook === false) return undefined
  const data = readPayload(message, eventPayload)
  const about = { ...to, client: data.sender?._id ?? '', ...(request !== undefined && { request }) }
  switch (event) {
    case 'chat message':
      return { ...about, event: 'MESSAGE', data }
    case 'messageUpdated':
      return { ...about, event: 'MESSAGE_UPDATED', data }
    case 'messageDeleted':
      return { ...about, event: 'MESSAGE_DELETED', data }
    case 'room':
      // Beside the Room itself, what the other events of a room say; nobody is told who changed it.
      return { ...about, event: 'ROOM', data: { ...data, room: to.room, sender: '' } }
    default:
      throw new BadEvent(`no webhook is told of ${event}`)
  }
}

function ofMembers(message: StreamMessage): Happened {
  const { event, room, sender = '', members, request } = readPayload(message, membersChange)
  const app = parsePushSubject(message.subject)
  const data = { room, sender, members }
  return { app, room, event, client: sender, data, ...(request !== undefined && { request }) }
}

/** The event of a deletion names the message alone; the webhook gets the Message, which is a stub now. */
async function wholeData(db: Db, { app, room, event, data }: Happened): Promise<unknown> {
  if (event !== 'MESSAGE_DELETED') return data
  const { messageID } = data as { messageID: string }
  const found = messageID === allMessages ? null : await findMessage(db, key(app, room), messageID)
  return found ? showMessage(found, (await findUser(db, app, found.sender)) ?? undefined) : data
}

function originOf(url: string): string | undefined {
  const parsed = URL.parse(url)
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : undefined
}
