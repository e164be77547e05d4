import { clock } from '@parley/async/clock'
import { type Delivery, readEvent } from '@parley/bus/events/incoming'
import { readPayload } from '@parley/bus/read-payload'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import { serverEvents } from '@parley/contracts/socket/server-events'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findSentMessage } from '@parley/db/messages/messages'
import type { PushDoc } from '@parley/db/push/documents'
import { deviceOf } from '@parley/db/push/pushes'
import { pagePushesOf, recordSilentPushes } from '@parley/db/push/silent-pushes'
import { findMembershipsByKey, pageMembers } from '@parley/db/rooms/memberships'
import { findRoom } from '@parley/db/rooms/rooms'
import { countedThread } from '@parley/db/threads/thread'
import { findRootsOfThreads, findThreadUsers, pageThreadUsers, rootOf } from '@parley/db/threads/thread-members'
import { findDevices } from '@parley/db/users/devices'
import { type Presence, whilePresent } from '@parley/presence/connect'
import { findPushed, forgetPushed, type PushedConversation } from '@parley/presence/pushed-rooms'
import { networkOf } from './device-push.ts'
import { type FindOnlineDevices, lastAttempt } from './online-devices.ts'

interface RemovalParts {
  db: Db
  presence: Presence
  onlineDevicesOf: FindOnlineDevices
  /** The configured networks. */
  networks: ReadonlySet<PushNetwork>
  keepMS: number
}

interface ReadEvent {
  event: Delivery
  /** The room or thread, for one user. */
  conversation: PushedConversation
  message: string
}

/** A device gets at most one silent push in this time, for everything read or deleted until then. */
const windowMS = 5_000
const perPage = 1_000

/** A room or thread whose notifications are obsolete up to a seq. */
type Over = PushedConversation & { upToSeq: number }

/**
 * Removes notifications of messages that were deleted or read elsewhere, or are in a room that the user has left, by silent pushes
 * to the devices that got them.
 */
export function createNotificationRemoval(parts: RemovalParts) {
  const { db, onlineDevicesOf, networks } = parts

  async function handle(read: ReadEvent): Promise<void> {
    // Without Redis, the pushed devices are unknown: the next push updates the badge.
    if (networks.size > 0) await whilePresent(afterRead(parts, read))
  }

  return {
    /** Handles `lastRead`. */
    reads: { read: readOfRoom, handle },
    /** Handles `threadLastRead`. */
    threadReads: { read: readOfThread, handle },
    /** Handles the deletion of a room, or of all messages of a room and its threads. */
    async ofRoom(app: string, room: string) {
      if (networks.size > 0) await whilePresent(afterDeletion(parts, app, room))
    },
    /** Handles the removal of at most 1,000 members, except those who have returned. */
    async ofMembers(app: string, room: string, users: readonly string[]) {
      if (networks.size > 0) await whilePresent(afterRemoval(parts, { app, room, users }))
    },
    /** Handles a deleted or recalled message. */
    async ofMessage(app: string, message: string) {
      if (networks.size === 0) return
      for await (const pushes of pagePushesOf(db, app, message, perPage)) {
        // Waiting pushes are dropped when they are due.
        const sent = pushes.filter(({ dueAtMS, network }) => dueAtMS === undefined && networks.has(network))
        const online = await onlineDevicesOf(app, [...new Set(sent.map(({ user }) => user))], lastAttempt)
        const silent = sent.flatMap((push) => {
          const to = { ...push, device: deviceOf(push) }
          return online.get(push.user)?.has(to.device) ? [] : [silentPush(parts, to, { messages: [message] })]
        })
        await recordSilentPushes(db, silent)
      }
    },
  }
}
export type NotificationRemoval = ReturnType<typeof createNotificationRemoval>

async function afterRead(parts: RemovalParts, { event, conversation, message }: ReadEvent): Promise<void> {
  const { db, presence } = parts
  const { app, room } = conversation
  const [pushed] = await findPushed(presence, [conversation])
  if (!pushed || pushed.size === 0) return
  const upToSeq = (await findSentMessage(db, key(app, room), message))?.seq ?? 0
  await removeIn(parts, [{ ...conversation, upToSeq }], event.attempt)
}

/** For devices whose last push of a conversation is not newer than its seq. All conversations are of one app. */
async function removeIn(parts: RemovalParts, conversations: readonly Over[], attempt: number): Promise<void> {
  const { db, presence, onlineDevicesOf, networks } = parts
  const pushed = await findPushed(presence, conversations)
  const over = conversations.flatMap((conversation, i) => {
    const devices = [...(pushed[i] ?? [])].flatMap(([device, seq]) => (seq <= conversation.upToSeq ? [device] : []))
    return devices.length > 0 ? [{ conversation, devices }] : []
  })
  const [first] = over
  if (!first) return
  const online = await onlineDevicesOf(
    first.conversation.app,
    [...new Set(over.map(({ conversation }) => conversation.user))],
    attempt,
  )
  // Connected devices got the event.
  const away = over.flatMap(({ conversation, devices }) =>
    devices.flatMap((device) =>
      online.get(conversation.user)?.has(device)
        ? []
        : [{ conversation, id: key(conversation.app, conversation.user, device) }],
    ),
  )
  const found = await findDevices(db, [...new Set(away.map(({ id }) => id))])
  const devices = new Map(found.map((device) => [device._id, device]))
  const silent = away.flatMap(({ conversation: { room, threadOf }, id }) => {
    const to = devices.get(id)
    if (!to || !networks.has(networkOf[to.type])) return []
    const removed = threadOf === undefined ? { rooms: [room] } : { threads: [threadOf] }
    return [silentPush(parts, { ...to, network: networkOf[to.type] }, removed)]
  })
  await recordSilentPushes(db, silent)
  for (const one of over) await forgetPushed(presence, one.conversation, one.devices)
}

async function afterDeletion(parts: RemovalParts, app: string, id: string): Promise<void> {
  const { db } = parts
  const room = await findRoom(db, app, id)
  if (!room) return
  const isGone = room.deletedAt !== undefined
  for await (const members of pageMembers(db, room._id, perPage)) {
    const upToSeq = isGone ? Infinity : (room.deletedUpToSeq ?? 0)
    await removeIn(
      parts,
      members.map(({ user }) => ({ app, room: id, user, upToSeq })),
      lastAttempt,
    )
  }
  if (room.lastThreadAtMS === undefined) return
  for await (const members of pageThreadUsers(db, room._id, perPage)) {
    const roots = await findRootsOfThreads(db, members)
    const conversations = members.flatMap(({ roomKey, user }) => {
      const root = roots.get(roomKey)
      if (!root) return []
      const upToSeq = isGone ? Infinity : countedThread(root, room).deletedUpToSeq
      return [{ app, room: id, threadOf: root._id, user, upToSeq }]
    })
    await removeIn(parts, conversations, lastAttempt)
  }
}

async function afterRemoval(
  parts: RemovalParts,
  { app, room, users }: { app: string; room: string; users: readonly string[] },
): Promise<void> {
  const { db } = parts
  const memberships = users.map((user) => key(app, room, user))
  const returned = new Set((await findMembershipsByKey(db, memberships)).map(({ user }) => user))
  const gone = users.filter((user) => !returned.has(user))
  const threads = (await findThreadUsers(db, { app, room, users: gone })).map(({ user, roomKey }) => {
    return { app, room, threadOf: rootOf(roomKey), user, upToSeq: Infinity }
  })
  await removeIn(parts, [...gone.map((user) => ({ app, room, user, upToSeq: Infinity })), ...threads], lastAttempt)
}

function readOfRoom(...raw: Parameters<typeof readEvent>): ReadEvent {
  const event = readEvent(...raw)
  const { roomID: room, memberID: user, messageID: message } = readPayload(event, serverEvents.lastRead.payload)
  return { event, conversation: { app: event.to.app, room, user }, message }
}

/** The event goes to the user. */
function readOfThread(...raw: Parameters<typeof readEvent>): ReadEvent {
  const event = readEvent(...raw)
  const { roomID: room, threadOf, messageID: message } = readPayload(event, serverEvents.threadLastRead.payload)
  const user = 'user' in event.to ? event.to.user : ''
  return { event, conversation: { app: event.to.app, room, threadOf, user }, message }
}

/** One push for everything in a device's current window. */
function silentPush(
  { keepMS }: RemovalParts,
  {
    app,
    user,
    device,
    network,
    token,
    topic,
  }: Pick<PushDoc, 'app' | 'user' | 'network' | 'token' | 'topic'> & { device: string },
  removes: PushDoc['removes'] & object,
): PushDoc {
  const dueAtMS = (Math.floor(clock.now() / windowMS) + 1) * windowMS
  // No message has this ID.
  const content = key(app, '', String(dueAtMS))
  return {
    ...{ _id: key(content, user, device), app, network, content, user, token, removes },
    ...(topic !== undefined && { topic }),
    // Computed when it is sent.
    badge: 0,
    ...{ dueAtMS, tries: 0, giveUpAtMS: dueAtMS + keepMS, at: clock.date() },
  }
}
