import { batchedWrites } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import type { Wake } from '@parley/async/wake'
import { type Delivery, readEvent } from '@parley/bus/events/incoming'
import { readPayload } from '@parley/bus/read-payload'
import type { MessageHandler } from '@parley/bus/stream/consume'
import { findQuoted } from '@parley/chat/messages/reading/quoted-messages'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import { pageRecipients, type RecipientPage, type RecipientParts } from '@parley/chat/push/recipients'
import { toMessageView } from '@parley/chat/views/message'
import { type Message, message as messageSchema } from '@parley/contracts/resources/message'
import { keptBackBy } from '@parley/contracts/resources/push/decide-notification'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findSentMessage } from '@parley/db/messages/messages'
import type { DeviceDecision, MessageReason, PushDecisionDoc } from '@parley/db/push/documents'
import {
  insertPushContent,
  insertPushes,
  isPushDecided,
  keepPushesSeconds,
  recordPushesDecided,
} from '@parley/db/push/pushes'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import { findUser } from '@parley/db/users/users'
import { type Presence, whilePresent } from '@parley/presence/connect'
import { recordPushed } from '@parley/presence/pushed-rooms'
import type { QueueCall } from '../calls/outgoing-call.ts'
import type { DecisionLog } from './decision-log.ts'
import { networkOf, pushTo } from './device-push.ts'
import { genericCall } from './generic-call.ts'
import { messageNotification } from './notification-text.ts'
import { type FindOnlineDevices, isInUse, isUserInUse } from './online-devices.ts'

interface PushMessageParts {
  db: Db
  presence: Presence
  onlineDevicesOf: FindOnlineDevices
  notificationsOf: NotificationsOfApp
  /** The configured networks. */
  networks: ReadonlySet<PushNetwork>
  /** PUSH_GENERIC. */
  generic: string | undefined
  keepMS: number
  /** How long a connected device has to be away before it gets pushes. */
  awayMS: number
  wakeNetworks: Wake['up']
  queueCall: QueueCall
  decisions: DecisionLog
}

export interface MessageEvent {
  event: Delivery
  message: Message
}

/** After this long the sender may have been erased. */
const waitedMS = 1_000
const membersPerPage = 1_000
/** Members per call of PUSH_GENERIC, which bounds the size of its body. */
const perCall = 10_000

/** Handles new messages: stores the recipients of their pushes, once, without waiting for a network. */
export function createMessagePusher(parts: PushMessageParts): MessageHandler<MessageEvent> {
  const { db, networks, generic, keepMS } = parts
  const decided = batchedWrites((contents: string[]) => recordPushesDecided(db, contents), { max: 500 })
  const handle = async ({ event, message: asSent }: MessageEvent) => {
    if (event.push === false || (generic === undefined && networks.size === 0)) return
    const content = key(asSent.appID, asSent._id)
    // A republished event was decided by the connections at its first delivery.
    if (event.republished && (await isPushDecided(db, content))) return
    const sentAtMS = event.republished?.atMS ?? event.takenAtMS
    if (clock.now() - sentAtMS > keepMS) return recordNoPush(parts, asSent, 'LATE')
    const room = await findRoom(db, asSent.appID, asSent.room)
    if (!room || room.deletedAt) return
    const now = await findSentMessage(db, room._id, asSent._id)
    // Deleted, recalled or expired while it waited in the stream; the sweep may notice an expiry later.
    const isGone = !now || currentMessage(now, room).content === undefined || expiryOf(asSent) <= clock.now()
    if (isGone) return recordNoPush(parts, asSent, 'DELETED')
    const mayDiffer = now.edited === true || clock.now() - event.takenAtMS > waitedMS
    const message = mayDiffer ? await messageView(db, now) : asSent
    if (generic === undefined) await storePushes(parts, event, message, { room, withBadge: !now.skipTotalBadge })
    else await queueGenericCalls(parts, generic, event, message, room)
    await decided(content)
  }
  return { read: readMessageEvent, handle }
}

function readMessageEvent(...raw: Parameters<typeof readEvent>): MessageEvent {
  const event = readEvent(...raw)
  return { event, message: readPayload(event, messageSchema) }
}

async function storePushes(
  parts: PushMessageParts,
  event: Delivery,
  message: Message,
  { room, withBadge }: { room: RoomDoc; withBadge: boolean },
): Promise<void> {
  const { db, keepMS } = parts
  const content = key(room.app, message._id)
  const parties = await recipientParts(parts, event, room)
  const json = JSON.stringify(messageNotification(message, room, parties.notifications, event.request))
  if (!(await insertPushContent(db, content, json))) return
  let page = 0
  for await (const { recipients, left } of pageRecipients(parties, room, message, membersPerPage)) {
    const { due, decided } = await decideDevices(parts, room.app, { recipients, left }, event.attempt)
    const badges = await totalUnreadOf(
      db,
      room.app,
      withBadge ? [...new Set(due.map(({ device }) => device.user))] : [],
    )
    const mentions = new Map(recipients.map(({ user, mention }) => [user, mention]))
    const each = { app: room.app, content, giveUpAtMS: Math.min(event.takenAtMS + keepMS, expiryOf(message)) }
    const pushes = due.map(({ device, awaySinceMS }) => {
      const ofUser = { badge: badges.get(device.user), mentioned: mentions.get(device.user) }
      const awayUntilMS = awaySinceMS === undefined ? undefined : awaySinceMS + parts.awayMS
      return pushTo(device, { ...each, ...ofUser, awayUntilMS })
    })
    const _id = key(room.app, message._id, String(page++))
    await Promise.all([insertPushes(db, pushes), parts.decisions.decided({ _id, at: clock.date(), ...decided })])
    if (pushes.length === 0) continue
    parts.wakeNetworks()
    await recordPushedTo(
      parts.presence,
      message,
      due.map(({ device }) => device),
    )
  }
}

/** Records pushed devices, so that reading elsewhere removes their notifications. */
export async function recordPushedTo(
  presence: Presence,
  { appID: app, room, threadOf, seq }: Pick<Message, 'appID' | 'room' | 'threadOf' | 'seq'>,
  devices: readonly DeviceDoc[],
): Promise<void> {
  await whilePresent(recordPushed(presence, { app, room, threadOf, seq }, devices, keepPushesSeconds))
}

async function recipientParts(
  { db, onlineDevicesOf, notificationsOf }: PushMessageParts,
  { attempt }: Delivery,
  { app }: RoomDoc,
): Promise<RecipientParts> {
  const findConnected = async (users: readonly string[]) => new Set((await onlineDevicesOf(app, users, attempt)).keys())
  return { db, notifications: await notificationsOf(app), findConnected }
}

export async function messageView(db: Db, message: MessageDoc): Promise<Message> {
  const [sender, quoted] = await Promise.all([findUser(db, message.app, message.sender), findQuoted(db, [message])])
  return toMessageView(message, sender ?? undefined, quoted)
}

function expiryOf({ expiresAtMS = Number.POSITIVE_INFINITY }: Message): number {
  return expiresAtMS
}

async function recordNoPush({ decisions }: PushMessageParts, message: Message, all: MessageReason): Promise<void> {
  await decisions.decided({ _id: key(message.appID, message._id, 'all'), at: clock.date(), all })
}

/** The devices that get a push, and the decisions for all members of the page. */
async function decideDevices(
  { db, onlineDevicesOf, networks }: PushMessageParts,
  app: string,
  { recipients, left }: RecipientPage,
  attempt: number,
): Promise<{
  due: { device: DeviceDoc; awaySinceMS: number | undefined }[]
  decided: Pick<PushDecisionDoc, 'users' | 'devices'>
}> {
  const users = recipients.map(({ user }) => user)
  const found = await findDevicesOfUsers(db, app, users)
  const reachable = new Set(found.filter(({ type }) => networks.has(networkOf[type])).map(({ user }) => user))
  const online = await onlineDevicesOf(app, [...reachable], attempt)
  const byDecision = Map.groupBy(found, ({ type, user, device }): DeviceDecision => {
    if (!networks.has(networkOf[type])) return 'NO_NETWORK'
    return isInUse(online.get(user), device) ? 'CONNECTED' : 'DUE'
  })
  const due = (byDecision.get('DUE') ?? []).map((device) => ({
    device,
    awaySinceMS: online.get(device.user)?.get(device.device),
  }))
  const owners = new Set(found.map(({ user }) => user))
  const noDevice = users.filter((user) => !owners.has(user))
  const devices = [...byDecision].map(([decision, some]) => [
    decision,
    some.map(({ user, device }) => key(user, device)),
  ])
  return {
    due,
    decided: {
      users: { ...left, ...(noDevice.length > 0 && { NO_DEVICE: noDevice }) },
      devices: Object.fromEntries(devices) as PushDecisionDoc['devices'] & object,
    },
  }
}

async function queueGenericCalls(
  parts: PushMessageParts,
  url: string,
  event: Delivery,
  message: Message,
  room: RoomDoc,
): Promise<void> {
  const { onlineDevicesOf, queueCall, decisions, awayMS } = parts
  const about = { url, order: event.streamSeq, ...(event.request !== undefined && { request: event.request }) }
  let part = 0
  const parties = await recipientParts(parts, event, room)
  for await (const { recipients, left } of pageRecipients(parties, room, message, perCall)) {
    const users = recipients.map(({ user }) => user)
    const online = await onlineDevicesOf(room.app, users, event.attempt)
    const pushToClients = users.filter((user) => !online.has(user))
    const inUse = users.filter((user) => isUserInUse(online.get(user)))
    const away = users.filter((user) => online.has(user) && !isUserInUse(online.get(user)))
    const suffix = part === 0 ? '' : `_${part}`
    const of = { _id: key(room.app, message._id, String(part++)), at: clock.date() }
    const id = `push_${message._id}${suffix}`
    const reasons = { ...left, ...(inUse.length > 0 && { CONNECTED: inUse }) }
    const call = pushToClients.length > 0 && { call: id, called: pushToClients }
    await decisions.decided({ ...of, users: reasons, ...call })
    if (call) {
      const keptBack = Object.fromEntries(keptBackBy.flatMap((by) => (left[by] ? [[by, left[by]]] : [])))
      const to = { pushToClients, ...(Object.keys(keptBack).length > 0 && { keptBack }) }
      await queueCall(genericCall({ ...about, id }, message, room, to))
    }
    if (away.length === 0) continue
    const awaySinceMS = away.flatMap((user) => [...(online.get(user)?.values() ?? [])].map((sinceMS = 0) => sinceMS))
    const dueAtMS = Math.max(clock.now(), Math.max(...awaySinceMS) + awayMS)
    const ofAway = { ...about, id: `push_${message._id}_away${suffix}`, dueAtMS }
    await decisions.decided({ ...of, _id: `${of._id} away`, call: ofAway.id, called: away })
    await queueCall(genericCall(ofAway, message, room, { pushToClients: away, because: 'away' }))
  }
}
