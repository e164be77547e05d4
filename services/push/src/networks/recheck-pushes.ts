import { clock } from '@parley/async/clock'
import type { NotificationsOfApp } from '@parley/chat/push/notification-settings'
import { findSuppressionReasons } from '@parley/chat/push/suppression-reasons'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { PushDoc, UserReason } from '@parley/db/push/documents'
import { deviceOf } from '@parley/db/push/pushes'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { findThreadReadSeqs } from '@parley/db/threads/thread-members'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import { findDevices } from '@parley/db/users/devices'
import type { DeviceDoc } from '@parley/db/users/documents'
import { networkOf } from '../recipients/device-push.ts'
import { type FindOnlineDevices, isInUse, lastAttempt } from '../recipients/online-devices.ts'
import type { PushContent } from './network.ts'

/** After this long, the device may be another user's, the message deleted, or the recipient no longer in the room. */
const waitedMS = 60_000

/** Whether a push has waited since the decision: for a retry, its turn, an absent user or, if silent, for others. */
export function hasWaited({ lastError, at, removes, whileAway }: PushDoc): boolean {
  const hasCause = removes !== undefined || lastError !== undefined || whileAway === true
  return hasCause || clock.now() - at.getTime() > waitedMS
}

export interface RecheckParts {
  db: Db
  notificationsOf: NotificationsOfApp
  onlineDevicesOf: FindOnlineDevices
}

/** A push in its current state, or why it is dropped. */
type RecheckedPush = { as: 'due'; push: PushDoc } | { as: 'dropped'; reason: string }

/**
 * The delayed ones of these pushes, by ID: each with its device's current token and badge, or the reason to drop it
 * (docs/reference/push.md#recipients). One query of each kind per app with delayed pushes.
 */
export async function recheckPushes(
  parts: RecheckParts,
  pushes: readonly PushDoc[],
  contents: ReadonlyMap<string, PushContent>,
): Promise<Map<string, RecheckedPush>> {
  const byApp = Map.groupBy(pushes.filter(hasWaited), ({ app }) => app)
  const renewed = await Promise.all([...byApp].map(([app, waited]) => recheckOfApp(parts, app, waited, contents)))
  return new Map(renewed.flat())
}

async function recheckOfApp(
  parts: RecheckParts,
  app: string,
  waited: readonly PushDoc[],
  contents: ReadonlyMap<string, PushContent>,
): Promise<[string, RecheckedPush][]> {
  const ofMessages = waited.flatMap((push) => {
    const content = contents.get(push.content)
    if (content?.of !== 'message') return []
    const { _id: id, user, mentioned: mention } = push
    const { room, sender, messageType, threadOf } = content
    return [{ id, user, room, sender, mention, messageType, threadOf }]
  })
  const { db, notificationsOf } = parts
  const withBadge = waited.filter(({ badge }) => badge !== undefined)
  const [devices, badges, against, noticed] = await Promise.all([
    findDevices(db, waited.map(deviceKeyOf)),
    totalUnreadOf(db, app, [...new Set(withBadge.map(({ user }) => user))]),
    findSuppressionReasons(db, app, ofMessages, notificationsOf),
    findSeen(
      parts,
      app,
      waited.filter(({ whileAway }) => whileAway),
      contents,
    ),
  ])
  const byKey = new Map(devices.map((device) => [device._id, device] as const))
  return waited.map((push) => {
    const device = byKey.get(deviceKeyOf(push))
    // Another user may hold its token.
    if (!device || networkOf[device.type] !== push.network) return [push._id, { as: 'dropped', reason: 'unsubscribed' }]
    // In words, like the other reasons: `not a member`.
    const setting = against.get(push._id)
    const isAgainst = setting !== undefined && (!isReminder(contents.get(push.content)) || endsReminders.has(setting))
    const reason = noticed.get(push._id) ?? (isAgainst ? setting.toLowerCase().replaceAll('_', ' ') : undefined)
    if (reason !== undefined) return [push._id, { as: 'dropped', reason }]
    return [push._id, { as: 'due', push: renewed(push, device, badges.get(push.user)) }]
  })
}

/** The user has asked for a reminder, whatever their settings for messages. */
const endsReminders = new Set<UserReason>(['NOT_A_MEMBER', 'BANNED'])

function isReminder(content: PushContent | undefined): boolean {
  return content?.of === 'message' && content.reminder === true
}

/** Why a device that was away no longer needs a push: it is in use again, or the user has read the message. By push ID. */
async function findSeen(
  { db, onlineDevicesOf }: RecheckParts,
  app: string,
  pushes: readonly PushDoc[],
  contents: ReadonlyMap<string, PushContent>,
): Promise<Map<string, string>> {
  if (pushes.length === 0) return new Map()
  /** The user with the room or thread to have read; reminders are of messages that were read. */
  const readerOf = ({ content: id, user }: PushDoc) => {
    const content = contents.get(id)
    if (content?.of !== 'message' || content.reminder) return undefined
    const { room, threadOf, seq } = content
    return { user, room, threadOf, seq }
  }
  const readers = pushes.flatMap((push) => readerOf(push) ?? [])
  const [online, readSeqOf] = await Promise.all([
    onlineDevicesOf(app, [...new Set(pushes.map(({ user }) => user))], lastAttempt),
    findReadSeqs(db, app, readers),
  ])
  return new Map(
    pushes.flatMap((push): [string, string][] => {
      if (isInUse(online.get(push.user), deviceOf(push))) return [[push._id, 'connected']]
      const reader = readerOf(push)
      return reader && readSeqOf(reader) >= reader.seq ? [[push._id, 'read']] : []
    }),
  )
}

interface Reader {
  user: string
  room: string
  threadOf?: string | undefined
}

export async function findReadSeqs(
  db: Db,
  app: string,
  readers: readonly Reader[],
): Promise<(reader: Reader) => number> {
  const markerOf = ({ user, room, threadOf }: Reader) =>
    threadOf === undefined ? key(app, room, user) : key(app, room, threadOf, user)
  const markersOf = (inThread: boolean) =>
    readers.filter(({ threadOf }) => (threadOf !== undefined) === inThread).map(markerOf)
  const [members, readSeqs] = await Promise.all([
    findMembershipsByKey(db, markersOf(false)),
    findThreadReadSeqs(db, markersOf(true)),
  ])
  for (const { _id, readSeq } of members) readSeqs.set(_id, readSeq)
  return (reader) => readSeqs.get(markerOf(reader)) ?? 0
}

function renewed(push: PushDoc, { token, topic, lastError }: DeviceDoc, unread: number | undefined): PushDoc {
  const { topic: _, isAfterError: __, badge, ...rest } = push
  return {
    ...{ ...rest, token },
    ...(topic !== undefined && { topic }),
    ...(lastError && { isAfterError: true }),
    ...(badge !== undefined && { badge: unread ?? badge }),
  }
}

function deviceKeyOf(push: PushDoc): string {
  return key(push.app, push.user, deviceOf(push))
}
