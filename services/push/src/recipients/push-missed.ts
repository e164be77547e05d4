import { clock } from '@parley/async/clock'
import type { Wake } from '@parley/async/wake'
import { findMentions, mentionOf } from '@parley/chat/push/mentions'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import type { ClientsPush } from '@parley/contracts/bus/push-work'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { findBySeq } from '@parley/db/message-buckets/find-messages'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { insertPushContent, insertPushes } from '@parley/db/push/pushes'
import { flushRooms } from '@parley/db/room-buffer/flush'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoomsActiveSince, findRoomsByKey } from '@parley/db/rooms/rooms'
import { findRoomIdsOfUser } from '@parley/db/rooms/rooms-of-users'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevices } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import type { Presence } from '@parley/presence/connect'
import { networkOf, pushTo } from './device-push.ts'
import { messageNotification } from './notification-text.ts'
import { messageView, notePushedTo } from './push-message.ts'

export interface PushMissedParts {
  db: Db
  presence: Presence
  notificationsOf: NotificationsOfApp
  /** The configured networks. */
  networks: ReadonlySet<PushNetwork>
  keepMS: number
  wakeNetworks: Wake['up']
}

/** Pushes to a device what came into its half-open connection. */
type PushMissed = (missed: ClientsPush['missed'] & object & { app: string }) => Promise<void>

/** The latest ones: a phone shows no more. */
const mostRooms = 20
const mostOfRoom = 10
/** In this time the device may have connected again, and its old connection be forgotten. */
const settleMS = 3_000

/**
 * Makes the pusher. Each push is checked when it is due as one to a device that was away: it is dropped if the device is in use
 * again, the message was read, or a setting keeps it back. A device that got a push of a message gets none again.
 */
export function createMissedPusher(parts: PushMissedParts): PushMissed {
  const { db, networks, wakeNetworks } = parts
  return async ({ app, user, device: id, sinceMS }) => {
    const [device] = await findDevices(db, [key(app, user, id)])
    if (!device || !networks.has(networkOf[device.type])) return
    const keys = (await findRoomIdsOfUser(db, app, user)).map((room) => key(app, room))
    const active = (await findRoomsActiveSince(db, keys, sinceMS)).slice(0, mostRooms)
    if (active.length === 0) return
    const rooms = await findRoomsByKey(
      db,
      active.map(({ _id }) => _id),
    )
    await flushRooms(
      db,
      rooms.map(({ _id }) => _id),
    )
    const badge = (await totalUnreadOf(db, app, [user])).get(user)
    for (const room of rooms) await pushOfRoom(parts, room, device, { sinceMS, badge })
    wakeNetworks()
  }
}

async function pushOfRoom(
  { db, presence, notificationsOf, keepMS }: PushMissedParts,
  room: RoomDoc,
  device: DeviceDoc,
  { sinceMS, badge }: { sinceMS: number; badge: number | undefined },
): Promise<void> {
  const latest = { limit: mostOfRoom, latestFirst: true }
  const found = await findBySeq(db, room._id, { after: 0, upTo: room.seq }, latest)
  const notifications = await notificationsOf(room.app)
  // The oldest first, so that the device shows the latest on top.
  for (const message of found.filter((one) => isMissed(one, room, device.user, sinceMS)).toReversed()) {
    const content = key(room.app, message._id)
    const said = messageNotification(await messageView(db, message), room, notifications, message.request)
    // PUSH_GENERIC has decided.
    if (!(await insertPushContent(db, content, JSON.stringify(said)))) continue
    // It was connected when the message came.
    const mentioned = mentionOf(device.user, await findMentions(db, room.app, message.mentions), true)
    const nowMS = clock.now()
    const giveUpAtMS = Math.min(nowMS + keepMS, message.expiresAtMS ?? Number.POSITIVE_INFINITY)
    const withBadge = message.skipTotalBadge ? undefined : badge
    const to = { app: room.app, content, badge: withBadge, mentioned, giveUpAtMS, awayUntilMS: nowMS + settleMS }
    await insertPushes(db, [pushTo(device, to)])
    await notePushedTo(presence, { ...message, appID: room.app }, [device])
  }
}

function isMissed(message: MessageDoc, room: RoomDoc, user: string, sinceMS: number): boolean {
  const isOld = message.createdAtMS < sinceMS || message.sender === user || message.push === false
  return !isOld && !message.recalled && !message.system && currentMessage(message, room).content !== undefined
}
