import { clock } from '@parley/async/clock'
import type { PushDoc } from '@parley/db/push/documents'
import { alertOf, collapseId, soundOf } from './apns-notification.ts'
import { fittedMessage, fittedPayload } from './fitting-content.ts'
import type { PushContent } from './network.ts'
import { argumentText, type ShownText, shownText } from './shown-text.ts'

/** Of FCM's 4,096 bytes; the rest is for the token and the envelope. */
const maxBytes = 3_700

/** A push in the form of FCM (firebase.google.com: REST resource projects.messages, AndroidConfig). JSON omits undefined fields. */
export function fcmMessage(push: PushDoc, content: PushContent): object {
  return { message: { token: push.token, ...partsOf(push, content) } }
}

function partsOf(push: PushDoc, content: PushContent): object {
  switch (content.of) {
    case 'message':
      // The texts appear twice, so they may be shorter than for APNs.
      return fittedMessage(content, maxBytes, (less) => ofMessage(push, less))
    case 'read':
      return ofRead(push, content)
    case 'clients':
      return fittedPayload(content, maxBytes, (payload) => ofClientsPush(push, { ...content, payload }))
    default:
      return content satisfies never
  }
}

/** A data message, which the app handles; on iPhones a background push. */
function ofRead(
  { badge = 0, giveUpAtMS }: PushDoc,
  { rooms, threads, messages }: PushContent & { of: 'read' },
): object {
  const lists = { rooms: JSON.stringify(rooms), threads: JSON.stringify(threads), messages: JSON.stringify(messages) }
  return {
    data: { type: 'read', ...lists, badge: String(badge) },
    android: { priority: 'NORMAL', ttl: lifetime(giveUpAtMS) },
    apns: {
      headers: {
        'apns-push-type': 'background',
        'apns-priority': '5',
        'apns-expiration': String(Math.floor(giveUpAtMS / 1_000)),
      },
      payload: { aps: { 'content-available': 1, badge } },
    },
  }
}

function ofMessage(push: PushDoc, content: PushContent & { of: 'message' }): object {
  const { room, messageID, messageType, threadOf, reminder } = content
  const shown = shownText(push, content)
  const { category, image } = 'title' in shown ? shown : {}
  return {
    data: { room, messageID, messageType, threadOf, reminder: reminder && 'true' },
    // For FCM tokens of iPhones (firebase.google.com: ApnsConfig).
    apns: {
      headers: {
        'apns-priority': '10',
        'apns-expiration': String(Math.floor(push.giveUpAtMS / 1_000)),
        'apns-collapse-id': collapseId(messageID),
      },
      payload: {
        aps: {
          alert: alertOf(shown),
          sound: soundOf(shown),
          'thread-id': room,
          category,
          ...(image !== undefined && { 'mutable-content': 1 }),
          badge: push.badge,
        },
        reminder,
        image,
      },
    },
    android: {
      priority: 'HIGH',
      ttl: lifetime(push.giveUpAtMS),
      notification: {
        ...androidText(shown),
        // A resend after a lost response replaces the first notification.
        tag: collapseId(messageID),
        notification_count: push.badge,
      },
    },
  }
}

function androidText(shown: ShownText): object {
  if ('locKey' in shown) return { body_loc_key: shown.locKey, body_loc_args: shown.locArgs }
  const { title, body, sound, image } = shown
  return { title, body, sound, image }
}

function ofClientsPush(push: PushDoc, { payload, id }: PushContent & { of: 'clients' }): object {
  const { type, expiry, alert, badge, sound, topic, title, body, icon, collapseKey } = payload
  const localised = typeof alert === 'object' ? alert : {}
  const text = body ?? (typeof alert === 'string' ? alert : undefined)
  return {
    data: { type, topic, icon },
    android: {
      priority: 'HIGH',
      ttl: lifetime(expiry === undefined ? push.giveUpAtMS : expiry * 1_000),
      collapse_key: collapseKey === undefined ? undefined : collapseId(collapseKey),
      notification: {
        title,
        body: text,
        body_loc_key: localised['loc-key'],
        body_loc_args: localised['loc-args']?.map(argumentText),
        // `icon` of AndroidNotification is a drawable of the app; a picture at a URL goes into `image`.
        ...(icon !== undefined && (URL.canParse(icon) ? { image: icon } : { icon })),
        sound,
        notification_count: badge,
        tag: collapseId(collapseKey ?? id),
      },
    },
  }
}

/** A duration in protobuf's JSON; FCM keeps a message for at most four weeks. */
function lifetime(untilMS: number): string {
  const fourWeeks = 28 * 24 * 60 * 60
  return `${Math.min(fourWeeks, Math.max(0, Math.round((untilMS - clock.now()) / 1_000)))}s`
}
