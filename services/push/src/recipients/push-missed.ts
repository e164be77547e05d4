import { createHash } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { findMentions, mentionOf } from '@parley/chat/push/mentions'
import type { ClientsPush } from '@parley/contracts/bus/push-work'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findBySeq } from '@parley/db/message-buckets/find-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findDroppedCalls } from '@parley/db/push/outgoing-calls'
import { contentOf, findDecisionsAbout } from '@parley/db/push/push-decisions'
import { insertPushContent, insertPushes } from '@parley/db/push/pushes'
import { flushRooms } from '@parley/db/room-buffer/flush'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoomsActiveSince, findRoomsByKey, findRoomsWithThreadsSince } from '@parley/db/rooms/rooms'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { findThreadReadSeqs } from '@parley/db/threads/thread-members'
import { findLatestInThreads } from '@parley/db/threads/thread-messages'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevices } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import type { QueueCall } from '../calls/outgoing-call.ts'
import type { DecisionLog } from './decision-log.ts'
import { networkOf, pushTo } from './device-push.ts'
import { genericCall } from './generic-call.ts'
import { messageNotification } from './notification-text.ts'
import { messageView, recordPushedTo } from './push-message.ts'
import { type PushReminderParts, pushMissedReminders } from './push-reminder.ts'

type PushMissed = (missed: ClientsPush['missed'] & object & { app: string }) => Promise<void>

export interface PushMissedParts extends PushReminderParts {
  /** PUSH_GENERIC. */
  generic: string | undefined
  queueCall: QueueCall
  decisions: DecisionLog
}

/** Only the latest rooms: a phone shows no more. */
const maxRooms = 20
const maxOfRoom = 10
/** Latest thread messages read per room: most may belong to threads without the user. */
const maxOfThreads = 200
/** Time for the device to reconnect and for its old connection to be dropped. */
const settleMS = 3_000

interface Missed {
  user: string
  /** To push to; with PUSH_GENERIC its call goes out instead. */
  device?: DeviceDoc | undefined
  sinceMS: number
  badge: number | undefined
}

/**
 * Creates the pusher of missed messages, thread messages and reminders. When due, each push is checked like one to a device
 * that was away: it is dropped if the device is in use again, the message was read, or a setting suppresses it. A device
 * gets at most one push of a message.
 */
export function createMissedPusher(parts: PushMissedParts): PushMissed {
  const { db, generic, networks, wakeNetworks } = parts
  return async ({ app, user, device: id, sinceMS }) => {
    const [found] = await findDevices(db, [key(app, user, id)])
    const device = found && networks.has(networkOf[found.type]) ? found : undefined
    if (!device && generic === undefined) return
    if (device) await pushMissedReminders(parts, device, { sinceMS, awayUntilMS: clock.now() + settleMS })
    const keys = (await findRoomIdsOfUser(db, app, user)).map((room) => key(app, room))
    const active = (await findRoomsActiveSince(db, keys, sinceMS)).slice(0, maxRooms).map(({ _id }) => _id)
    const withThreads = await findRoomsWithThreadsSince(db, keys, sinceMS, maxRooms)
    if (active.length + withThreads.length === 0) return
    const rooms = await findRoomsByKey(db, active)
    await flushRooms(db, active)
    const badge = (await totalUnreadOf(db, app, [user])).get(user)
    const missed = { user, device, sinceMS, badge }
    for (const room of rooms) await pushOfRoom(parts, room, missed)
    for (const room of withThreads) await pushOfThreads(parts, room, missed)
    wakeNetworks()
  }
}

async function pushOfRoom(parts: PushMissedParts, room: RoomDoc, missed: Missed): Promise<void> {
  const latest = { limit: maxOfRoom, latestFirst: true }
  const found = await findBySeq(parts.db, room._id, { after: 0, upTo: room.seq }, latest)
  await pushEach(
    parts,
    room,
    missed,
    found.filter((one) => isMissed(one, room, missed)),
  )
}

/** Threads in which the user participates, and messages that mention them by ID. */
async function pushOfThreads(parts: PushMissedParts, room: RoomDoc, missed: Missed): Promise<void> {
  const { db } = parts
  const { user } = missed
  const latest = await findLatestInThreads(db, room, missed.sinceMS, maxOfThreads)
  const found = latest.filter((one) => isMissed(one, room, missed))
  const memberKey = ({ threadOf = '' }: MessageDoc) => key(room.app, room.id, threadOf, user)
  const readSeqs = await findThreadReadSeqs(db, [...new Set(found.map(memberKey))])
  const forUser: MessageDoc[] = []
  for (const message of found) {
    const isNamed = async () => (await findMentions(db, room.app, message.mentions)).named.has(user)
    if (readSeqs.has(memberKey(message)) || (await isNamed())) forUser.push(message)
    if (forUser.length === maxOfRoom) break
  }
  await pushEach(parts, room, missed, forUser)
}

/** @param latest newest first */
async function pushEach(
  parts: PushMissedParts,
  room: RoomDoc,
  { user, device, badge }: Missed,
  latest: readonly MessageDoc[],
): Promise<void> {
  const { db, presence, generic, notificationsOf, keepMS } = parts
  if (generic !== undefined) {
    const called = await findCalled(db, room, latest, user)
    for (const message of latest.toReversed()) {
      if (!called.has(message._id)) await callFor(parts, generic, { room, message, user })
    }
    return
  }
  if (!device) return
  const notifications = await notificationsOf(room.app)
  // Oldest first, so that the device shows the latest on top.
  for (const message of latest.toReversed()) {
    const content = key(room.app, message._id)
    const notification = messageNotification(await messageView(db, message), room, notifications, message.request)
    // PUSH_GENERIC decided about it earlier.
    if (!(await insertPushContent(db, content, JSON.stringify(notification)))) continue
    // The device was connected when the message came.
    const mentioned = mentionOf(user, await findMentions(db, room.app, message.mentions), true)
    const nowMS = clock.now()
    const giveUpAtMS = Math.min(nowMS + keepMS, message.expiresAtMS ?? Number.POSITIVE_INFINITY)
    const withBadge = message.skipTotalBadge ? undefined : badge
    const to = { app: room.app, content, badge: withBadge, mentioned, giveUpAtMS, awayUntilMS: nowMS + settleMS }
    await insertPushes(db, [pushTo(device, to)])
    await recordPushedTo(presence, { ...message, appID: room.app }, [device])
  }
}

/** Messages with another call that names the user, such as one for away users, unless it was dropped. */
async function findCalled(db: Db, room: RoomDoc, messages: readonly MessageDoc[], user: string): Promise<Set<string>> {
  const decisions = await findDecisionsAbout(
    db,
    messages.map(({ _id }) => key(room.app, _id)),
    user,
  )
  const own = new Set(messages.map((message) => callIdOf(message, user)))
  const naming = decisions.filter(({ call = '', called }) => called?.includes(user) && !own.has(call))
  const dropped = await findDroppedCalls(
    db,
    naming.flatMap(({ call }) => call ?? []),
  )
  const kept = new Set(naming.filter(({ call = '' }) => !dropped.has(call)).map(({ _id }) => contentOf(_id)))
  return new Set(messages.map(({ _id }) => _id).filter((id) => kept.has(key(room.app, id))))
}

/** One call goes out once a connection ends and no other seems in use; the end of another revives a dropped call. */
async function callFor(
  { db, queueCall, decisions }: PushMissedParts,
  url: string,
  { room, message, user }: { room: RoomDoc; message: MessageDoc; user: string },
): Promise<void> {
  const id = callIdOf(message, user)
  const about = { url, id, order: 0, dueAtMS: clock.now() + settleMS, revive: true as const }
  const request = message.request !== undefined && { request: message.request }
  const to = { pushToClients: [user], because: 'half-open' as const }
  const decision = { _id: key(room.app, message._id, id), at: clock.date(), call: id, called: [user] }
  await decisions.decided(decision)
  await queueCall(genericCall({ ...about, ...request }, await messageView(db, message), room, to))
}

function callIdOf({ _id }: MessageDoc, user: string): string {
  return `push_${_id}_${createHash('sha256').update(user).digest('hex').slice(0, 16)}`
}

function isMissed(message: MessageDoc, room: RoomDoc, { user, sinceMS }: Missed): boolean {
  const isOld = message.createdAtMS < sinceMS || message.sender === user || message.push === false
  return !isOld && !message.recalled && !message.system && currentMessage(message, room).content !== undefined
}
