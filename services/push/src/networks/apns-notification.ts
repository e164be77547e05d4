import { createHash } from 'node:crypto'
import type { PushPayload } from '@parley/contracts/resources/push/payload'
import type { PushDoc } from '@parley/db/push/documents'
import { Notification } from '@parse/node-apn'
import { fittedMessage, fittedPayload } from './fitting-content.ts'
import type { PushContent } from './network.ts'
import { type ShownText, shownText } from './shown-text.ts'

/** A push in the form of APNs (developer.apple.com: "Generating a remote notification", "Sending notification requests to APNs"). */
export function apnsNotification(push: PushDoc, content: PushContent, topic: string): Notification {
  if (content.of === 'message') {
    return fittedMessage(content, maxBytes, (less) => ofMessage(notificationTo(push, topic), push, less))
  }
  if (content.of === 'clients') {
    const { id } = content
    return fittedPayload(content, maxBytes, (payload) => ofClientsPush(notificationTo(push, topic), payload, id))
  }
  return ofRead(notificationTo(push, topic), content)
}

const maxBytes = 4_096

function ofRead(notification: Notification, { rooms, threads, messages }: PushContent & { of: 'read' }): Notification {
  notification.pushType = 'background'
  // Apple requires 5 for background pushes.
  notification.priority = 5
  notification.contentAvailable = true
  notification.payload = { type: 'read', rooms, threads, messages }
  return notification
}

function ofClientsPush(notification: Notification, payload: PushPayload, id: string): Notification {
  const { type, expiry, alert, badge, sound, title, body, icon, collapseKey } = payload
  notification.aps.alert = alert ?? (title === undefined ? (body ?? '') : { title, body: body ?? '' })
  if (badge !== undefined) notification.badge = badge
  if (sound !== undefined) notification.sound = sound
  if (expiry !== undefined) notification.expiry = expiry
  notification.collapseId = collapseId(collapseKey ?? id)
  notification.payload = { type, icon }
  return notification
}

function notificationTo(push: PushDoc, topic: string): Notification {
  const notification = new Notification()
  notification.id = apnsId(push._id)
  notification.topic = topic
  notification.pushType = 'alert'
  // 10 delivers immediately; with 5 the device may wait.
  notification.priority = 10
  notification.expiry = Math.floor(push.giveUpAtMS / 1_000)
  if (push.badge !== undefined) notification.badge = push.badge
  return notification
}

function ofMessage(notification: Notification, push: PushDoc, content: PushContent & { of: 'message' }): Notification {
  const { room, messageID, threadOf, reminder } = content
  const shown = shownText(push, content)
  notification.aps.alert = alertOf(shown)
  notification.sound = soundOf(shown)
  const { category, image } = 'title' in shown ? shown : {}
  if (category !== undefined) notification.aps.category = category
  // A service extension of the app fetches the image.
  if (image !== undefined) notification.mutableContent = true
  // A resend after a lost response replaces the first notification.
  notification.collapseId = collapseId(messageID)
  notification.threadId = room
  notification.payload = { room, messageID, threadOf, reminder, image }
  return notification
}

/** `alert` of an aps dictionary. */
export function alertOf(shown: ShownText): Record<string, string | readonly string[]> {
  if ('locKey' in shown) return { 'loc-key': shown.locKey, 'loc-args': shown.locArgs }
  return { title: shown.title, body: shown.body }
}

export function soundOf(shown: ShownText): string {
  return ('sound' in shown ? shown.sound : undefined) ?? 'default'
}

/** apns-id, the same for every attempt of a push: a UUID in lower case. */
export function apnsId(push: string): string {
  const hex = createHash('sha256').update(push).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** apns-collapse-id is limited to 64 bytes, headers to ASCII; keys, and IDs of imported messages, are not. */
export function collapseId(id: string): string {
  return /^[\x21-\x7e]{1,64}$/.test(id) ? id : createHash('sha256').update(id).digest('hex')
}
