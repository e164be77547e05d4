import { clock } from '@parley/async/clock'
import type { Wake } from '@parley/async/wake'
import type { StreamMessage } from '@parley/bus/stream/consume'
import { findReadable } from '@parley/chat/messages/saved/readable-messages'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import type { ClientsPush } from '@parley/contracts/bus/push-work'
import type { PushNetwork } from '@parley/contracts/resources/push/network'
import type { Db } from '@parley/db/connect'
import { insertPushes, putReminderContent, reminderContent } from '@parley/db/push/pushes'
import { findRoom } from '@parley/db/rooms/rooms'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import { networkOf, pushTo } from './device-push.ts'
import { reminderNotification } from './notification-text.ts'
import { messageView } from './push-message.ts'
import { isInUse, type WhoIsOnline } from './who-is-online.ts'

export interface PushReminderParts {
  db: Db
  whoIsOnline: WhoIsOnline
  notificationsOf: NotificationsOfApp
  /** The configured networks. */
  networks: ReadonlySet<PushNetwork>
  keepMS: number
  wakeNetworks: Wake['up']
}

/** Pushes a reminder to the user's devices that are not in use: the others get the event. */
type PushReminder = (reminder: ClientsPush['reminder'] & object & { app: string }, raw: StreamMessage) => Promise<void>

/** Levels and quiet hours keep no reminder back: the user has chosen the time. */
export function createReminderPusher(parts: PushReminderParts): PushReminder {
  const { db, whoIsOnline, notificationsOf, networks, keepMS, wakeNetworks } = parts
  return async ({ app, user, room: roomId, id, atMS }, raw) => {
    if (clock.now() - atMS > keepMS) return
    const [message] = await findReadable(db, { app, user }, [{ message: id, room: roomId }])
    const room = await findRoom(db, app, roomId)
    if (!message || !room) return
    const devices = (await findDevicesOfUsers(db, app, [user])).filter(({ type }) => networks.has(networkOf[type]))
    if (devices.length === 0) return
    const online = (await whoIsOnline(app, [user], raw.attempt)).get(user)
    const badge = (await totalUnreadOf(db, app, [user])).get(user)
    const said = reminderNotification(await messageView(db, message), room, await notificationsOf(app))
    const content = reminderContent(app, id)
    const pushes = devices
      .filter(({ device }) => !isInUse(online, device))
      .map((device) => pushTo(device, { app, content, badge, giveUpAtMS: atMS + keepMS }))
    await putReminderContent(db, { content, json: JSON.stringify(said), atMS }, pushes)
    await insertPushes(db, pushes)
    wakeNetworks()
  }
}
