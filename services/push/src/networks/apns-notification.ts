import { createHash } from 'node:crypto'
import type { PushDoc } from '@parley/db/push/documents'
import { Notification } from '@parse/node-apn'
import type { PushContent } from './network.ts'

/** A push in the form of APNs (developer.apple.com: "Generating a remote notification", "Sending notification requests to APNs"). */
export function apnsNotification(push: PushDoc, content: PushContent, topic: string): Notification {
  const notification = new Notification()
  notification.id = apnsId(push._id)
  notification.topic = topic
  notification.pushType = 'alert'
  // Deliver at once; with 5 the device may wait.
  notification.priority = 10
  notification.expiry = Math.floor(push.giveUpAtMS / 1_000)
  if (push.badge !== undefined) notification.badge = push.badge
  if (content.of === 'message') {
    const { locKey, mentionedLocKey, locArgs, room, messageID } = content
    notification.aps.alert = { 'loc-key': push.mentioned ? mentionedLocKey : locKey, 'loc-args': locArgs }
    notification.sound = 'default'
    // Sent again because the first response was lost, it replaces the first on the device.
    notification.collapseId = messageID
    notification.threadId = room
    notification.payload = { room, messageID }
    return notification
  }
  const { type, expiry, alert, badge, sound, title, body, icon, collapseKey } = content.payload
  notification.aps.alert = alert ?? (title === undefined ? (body ?? '') : { title, body: body ?? '' })
  if (badge !== undefined) notification.badge = badge
  if (sound !== undefined) notification.sound = sound
  if (expiry !== undefined) notification.expiry = expiry
  notification.collapseId = shortId(collapseKey ?? content.id)
  notification.payload = { ...(type !== undefined && { type }), ...(icon !== undefined && { icon }) }
  return notification
}

/** apns-id, the same for every try of a push: a UUID, in lower case. */
export function apnsId(push: string): string {
  const hex = createHash('sha256').update(push).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** apns-collapse-id has at most 64 bytes, and a header only ASCII. */
function shortId(id: string): string {
  return /^[\x21-\x7e]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')
}
