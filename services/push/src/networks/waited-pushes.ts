import { clock } from '@parley/async/clock'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import { findSuppressionReasons } from '@parley/chat/push/suppression-reasons'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { PushDoc } from '@parley/db/push/documents'
import { deviceOf } from '@parley/db/push/pushes'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevices } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import { networkOf } from '../recipients/push-message.ts'
import type { PushContent } from './network.ts'

/** After this long, a device may be another user's, a message deleted, and its recipient out of the room. */
const waitedMS = 60_000

/** Whether a push has waited since it was decided: for another try, or for its turn; a silent one for others. */
export function hasWaited({ lastError, at, takesAway }: PushDoc): boolean {
  return takesAway !== undefined || lastError !== undefined || clock.now() - at.getTime() > waitedMS
}

/** A push as it is now, or why it is not sent any more. */
type RenewedPush = { as: 'due'; push: PushDoc } | { as: 'dropped'; reason: string }

/**
 * Those of these pushes that have waited, by ID: each with its device's present token and badge, or the reason to drop
 * it (docs/reference/push.md#recipients). A query of each kind for an app, none where none has waited.
 */
export async function renewWaited(
  db: Db,
  pushes: readonly PushDoc[],
  contents: ReadonlyMap<string, PushContent>,
  notificationsOf: NotificationsOfApp,
): Promise<Map<string, RenewedPush>> {
  const byApp = Map.groupBy(pushes.filter(hasWaited), ({ app }) => app)
  const renewed = await Promise.all(
    [...byApp].map(([app, waited]) => renewOfApp({ db, notificationsOf }, app, waited, contents)),
  )
  return new Map(renewed.flat())
}

async function renewOfApp(
  { db, notificationsOf }: { db: Db; notificationsOf: NotificationsOfApp },
  app: string,
  waited: readonly PushDoc[],
  contents: ReadonlyMap<string, PushContent>,
): Promise<[string, RenewedPush][]> {
  const ofMessages = waited.flatMap((push) => {
    const content = contents.get(push.content)
    if (content?.of !== 'message') return []
    const { _id: id, user, mentioned: mention } = push
    const { room, sender, messageType, threadOf } = content
    return [{ id, user, room, sender, mention, messageType, threadOf }]
  })
  const withBadge = waited.filter(({ badge }) => badge !== undefined)
  const [devices, badges, against] = await Promise.all([
    findDevices(db, waited.map(deviceKeyOf)),
    totalUnreadOf(db, app, [...new Set(withBadge.map(({ user }) => user))]),
    findSuppressionReasons(db, app, ofMessages, notificationsOf),
  ])
  const byKey = new Map(devices.map((device) => [device._id, device] as const))
  return waited.map((push) => {
    const device = byKey.get(deviceKeyOf(push))
    // Its token may be with somebody else.
    if (!device || networkOf[device.type] !== push.network) return [push._id, { as: 'dropped', reason: 'unsubscribed' }]
    // In words, as the other reasons: `not a member`.
    const reason = against.get(push._id)?.toLowerCase().replaceAll('_', ' ')
    if (reason !== undefined) return [push._id, { as: 'dropped', reason }]
    return [push._id, { as: 'due', push: renewed(push, device, badges.get(push.user)) }]
  })
}

function renewed(push: PushDoc, { token, topic }: DeviceDoc, unread: number | undefined): PushDoc {
  const { topic: _, badge, ...rest } = push
  return {
    ...{ ...rest, token },
    ...(topic !== undefined && { topic }),
    ...(badge !== undefined && { badge: unread ?? badge }),
  }
}

function deviceKeyOf(push: PushDoc): string {
  return key(push.app, push.user, deviceOf(push))
}
