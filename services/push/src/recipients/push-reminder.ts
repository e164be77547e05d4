import { clock } from '@parley/async/clock'
import type { Wake } from '@parley/async/wake'
import type { StreamMessage } from '@parley/bus/stream/consume'
import { findReadable } from '@parley/chat/messages/readable-messages'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import type { ClientsPush } from '@parley/contracts/bus/push-work'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import { insertPushes, putReminderContent, reminderContent } from '@parley/db/push/pushes'
import { findRoom } from '@parley/db/rooms/rooms'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import { type Presence, whilePresent } from '@parley/presence/connect'
import { findSentReminders, recordReminder } from '@parley/presence/sent-reminders'
import { networkOf, pushTo } from './device-push.ts'
import { reminderNotification } from './notification-text.ts'
import { type FindOnlineDevices, isInUse } from './online-devices.ts'
import { messageView } from './push-message.ts'

export interface PushReminderParts {
  db: Db
  presence: Presence
  onlineDevicesOf: FindOnlineDevices
  notificationsOf: NotificationsOfApp
  /** The configured networks. */
  networks: ReadonlySet<PushNetwork>
  keepMS: number
  wakeNetworks: Wake['up']
}

type Reminder = ClientsPush['reminder'] & object & { app: string }

/** Pushes a reminder to the user's devices that are not in use; the others get the event. */
type PushReminder = (reminder: Reminder, raw: StreamMessage) => Promise<void>

/** Levels and quiet hours do not suppress reminders: the user chose the time. */
export function createReminderPusher(parts: PushReminderParts): PushReminder {
  const { db, presence, onlineDevicesOf, networks, keepMS } = parts
  return async (reminder, raw) => {
    const { app, user, room, id, atMS } = reminder
    if (clock.now() - atMS > keepMS) return
    const devices = (await findDevicesOfUsers(db, app, [user])).filter(({ type }) => networks.has(networkOf[type]))
    if (devices.length === 0) return
    const online = (await onlineDevicesOf(app, [user], raw.attempt)).get(user)
    const left = devices.filter(({ device }) => !isInUse(online, device))
    if (left.length < devices.length) {
      // For devices whose connection turns out to be half-open.
      await whilePresent(recordReminder(presence, { app, user, room, id, atMS }, clock.now()))
    }
    await storeReminder(parts, reminder, left)
  }
}

/** Pushes the reminders that were sent into a device's half-open connection. */
export async function pushMissedReminders(
  parts: PushReminderParts,
  device: DeviceDoc,
  { sinceMS, awayUntilMS }: { sinceMS: number; awayUntilMS: number },
): Promise<void> {
  const { app, user } = device
  const missed = (await whilePresent(findSentReminders(parts.presence, app, user, sinceMS))) ?? []
  for (const one of missed) await storeReminder(parts, { app, user, ...one }, [device], awayUntilMS)
}

async function storeReminder(
  { db, notificationsOf, keepMS, wakeNetworks }: PushReminderParts,
  { app, user, room: roomId, id, atMS }: Reminder,
  devices: readonly DeviceDoc[],
  awayUntilMS?: number,
): Promise<void> {
  if (devices.length === 0) return
  const [message] = await findReadable(db, { app, user }, [{ message: id, room: roomId }])
  const room = await findRoom(db, app, roomId)
  if (!message || !room) return
  const badge = (await totalUnreadOf(db, app, [user])).get(user)
  const notification = reminderNotification(await messageView(db, message), room, await notificationsOf(app))
  const content = reminderContent(app, id)
  const each = { app, content, badge, giveUpAtMS: atMS + keepMS, awayUntilMS }
  const pushes = devices.map((device) => pushTo(device, each))
  await putReminderContent(db, { content, json: JSON.stringify(notification), atMS }, pushes)
  await insertPushes(db, pushes)
  wakeNetworks()
}
