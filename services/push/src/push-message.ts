import type { Delivery } from '@parley/bus/consume'
import { type Message, message as messageSchema } from '@parley/contracts/resources/message'
import type { PushCall } from '@parley/contracts/resources/webhook'
import type { Db } from '@parley/db/connect'
import { type DeviceDoc, findDevicesOfUsers } from '@parley/db/devices'
import { key } from '@parley/db/keys'
import { currentMessage, findMessage } from '@parley/db/messages'
import type { CallToQueue } from '@parley/db/outgoing-calls'
import { insertPushContent, insertPushes, type PushDoc, type PushNetwork } from '@parley/db/pushes'
import { findRoom, type RoomDoc } from '@parley/db/rooms'
import { totalUnreadOf } from '@parley/db/total-unread'
import { messageNotification } from './notification-text.ts'
import type { QueueCall } from './queue-calls.ts'
import { readPayload } from './read-payload.ts'
import { pageRecipients, type Recipient } from './recipients.ts'
import type { Wake } from './wake.ts'
import type { WhoIsOnline } from './who-is-online.ts'

export interface PushMessageParts {
  db: Db
  whoIsOnline: WhoIsOnline
  /** The networks that are set up. */
  networks: ReadonlySet<PushNetwork>
  /** PUSH_GENERIC. */
  generic: string | undefined
  keepMS: number
  wakeNetworks: Wake['up']
  queueCall: QueueCall
}

/** Members looked at in one go. */
const perPage = 1_000
/** Members per call of PUSH_GENERIC: what bounds the size of its body. */
const perCall = 10_000

export const networkOf = { ios: 'apns', fcm: 'fcm' } as const satisfies Record<DeviceDoc['type'], PushNetwork>

/**
 * Makes the handler of new messages: it notes in the database whom a message is to be pushed to, and does not wait for
 * any network. Handling a message again notes nothing twice.
 */
export function createMessagePusher(parts: PushMessageParts): (event: Delivery) => Promise<void> {
  const { db, networks, generic, keepMS } = parts
  return async (event) => {
    if (event.push === false || Date.now() - event.takenAtMS > keepMS) return
    if (generic === undefined && networks.size === 0) return
    const message = readPayload(event, messageSchema)
    const room = await findRoom(db, message.appID, message.room)
    if (!room || room.deletedAt) return
    const now = await findMessage(db, room._id, message._id)
    // Deleted for all or recalled while it waited here.
    if (!now || currentMessage(now, room).content === undefined) return
    if (generic === undefined) await noteForDevices(parts, event, message, room)
    else await noteForCallback(parts, generic, event, message, room)
  }
}

async function noteForDevices(
  parts: PushMessageParts,
  event: Delivery,
  message: Message,
  room: RoomDoc,
): Promise<void> {
  const { db, keepMS } = parts
  const content = key(room.app, message._id)
  await insertPushContent(db, content, JSON.stringify(messageNotification(message, room, event.request)))
  for await (const recipients of pageRecipients(db, room, message, perPage)) {
    const devices = await offlineDevices(parts, room.app, recipients, event.attempt)
    const badges = await totalUnreadOf(db, room.app, [...new Set(devices.map(({ user }) => user))])
    const mentioned = new Set(recipients.filter((recipient) => recipient.mentioned).map(({ user }) => user))
    const due = { app: room.app, content, giveUpAtMS: event.takenAtMS + keepMS }
    const pushes = devices.map((device) =>
      pushTo(device, { ...due, badge: badges.get(device.user), mentioned: mentioned.has(device.user) }),
    )
    await insertPushes(db, pushes)
    if (pushes.length > 0) parts.wakeNetworks()
  }
}

async function offlineDevices(
  { db, whoIsOnline, networks }: PushMessageParts,
  app: string,
  recipients: readonly Recipient[],
  attempt: number,
): Promise<DeviceDoc[]> {
  const found = await findDevicesOfUsers(
    db,
    app,
    recipients.map(({ user }) => user),
  )
  const devices = found.filter(({ type }) => networks.has(networkOf[type]))
  const online = await whoIsOnline(app, [...new Set(devices.map(({ user }) => user))], attempt)
  return devices.filter(({ user, device }) => !online.get(user)?.has(device))
}

/** A push that is due now. */
export function pushTo(
  { user, device, type, token, topic }: DeviceDoc,
  {
    badge,
    mentioned,
    ...rest
  }: Pick<PushDoc, 'app' | 'content' | 'giveUpAtMS'> & { badge?: number | undefined; mentioned?: boolean },
): PushDoc {
  return {
    ...rest,
    _id: key(rest.content, user, device),
    network: networkOf[type],
    user,
    token,
    ...(topic !== undefined && { topic }),
    ...(mentioned && { mentioned }),
    ...(badge !== undefined && { badge }),
    dueAtMS: Date.now(),
    tries: 0,
    at: new Date(),
  }
}

async function noteForCallback(
  { db, whoIsOnline, queueCall }: PushMessageParts,
  url: string,
  event: Delivery,
  message: Message,
  room: RoomDoc,
): Promise<void> {
  let part = 0
  for await (const recipients of pageRecipients(db, room, message, perCall)) {
    const users = recipients.map(({ user }) => user)
    const online = await whoIsOnline(room.app, users, event.attempt)
    const pushToClients = users.filter((user) => !online.has(user))
    const id = part === 0 ? `push_${message._id}` : `push_${message._id}_${part}`
    part++
    if (pushToClients.length === 0) continue
    const said: PushCall = { ...message, roomName: room.name, pushToClients }
    const call: CallToQueue = {
      _id: id,
      app: room.app,
      kind: 'push',
      lane: id,
      target: new URL(url).origin,
      order: event.streamSeq,
      room: room.id,
      event: 'PUSH',
      client: message.sender._id,
      data: JSON.stringify(said),
      ...(event.request !== undefined && { request: event.request }),
    }
    await queueCall(call)
  }
}
