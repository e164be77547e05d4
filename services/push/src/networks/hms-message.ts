import { clock } from '@parley/async/clock'
import type { PushDoc } from '@parley/db/push/documents'
import { collapseId } from './apns-notification.ts'
import { fittedMessage, fittedPayload } from './fitting-content.ts'
import type { PushContent } from './network.ts'
import { argumentText, type ShownText, shownText } from './shown-text.ts'

/** Push Kit accepts 4,096 bytes without the token. */
const maxBytes = 3_900
/** Push Kit keeps a message for at most 15 days. */
const maxS = 15 * 24 * 60 * 60

/**
 * A push in the form of Huawei's Push Kit (developer.huawei.com: "HTTPS downlink message", v1).
 * @param badgeClass the app's entry activity, without which a badge is not set
 */
export function hmsMessage(push: PushDoc, content: PushContent, badgeClass: string | undefined): object {
  return { validate_only: false, message: { ...partsOf(push, content, badgeClass), token: [push.token] } }
}

function partsOf(push: PushDoc, content: PushContent, badgeClass: string | undefined): object {
  const badge = badgeOf(push.badge, badgeClass)
  switch (content.of) {
    case 'message':
      return fittedMessage(content, maxBytes, (less) => ofMessage(push, less, badge))
    case 'read': {
      const { rooms, threads, messages } = content
      // A data message, which the app handles.
      const data = JSON.stringify({ type: 'read', rooms, threads, messages, badge: push.badge ?? 0 })
      return { data, android: { urgency: 'NORMAL', ttl: lifetime(push.giveUpAtMS) } }
    }
    case 'clients':
      return fittedPayload(content, maxBytes, (payload) => ofClientsPush(push, { ...content, payload }, badgeClass))
    default:
      return content satisfies never
  }
}

function ofMessage(push: PushDoc, content: PushContent & { of: 'message' }, badge: object): object {
  const { room, messageID, messageType, threadOf, reminder, locArgs } = content
  const shown = shownText(push, content)
  return {
    data: JSON.stringify({ room, messageID, messageType, threadOf, reminder }),
    android: {
      category: 'IM',
      ttl: lifetime(push.giveUpAtMS),
      notification: {
        ...textOf(shown, locArgs),
        // Opens the app, which gets the data.
        click_action: { type: 3 },
        // A resend after a lost response replaces the first notification.
        tag: collapseId(messageID),
        ...badge,
      },
    },
  }
}

/** Title and body are required; a string of the app takes their place on the device. */
function textOf(shown: ShownText, [sender = '', room = '', text = '']: readonly string[]): object {
  if ('locKey' in shown) {
    const body = { title: sender || room || ' ', body: text || room || ' ' }
    return { ...body, body_loc_key: shown.locKey, body_loc_args: shown.locArgs }
  }
  const { title, body, sound, image } = shown
  return { title: title || ' ', body: body || ' ', ...soundOf(sound), image }
}

function ofClientsPush(
  push: PushDoc,
  { payload, id }: PushContent & { of: 'clients' },
  badgeClass: string | undefined,
): object {
  const { type, expiry, alert, badge = push.badge, sound, topic, title, body, icon, collapseKey } = payload
  const localised = typeof alert === 'object' ? alert : {}
  const { 'loc-key': key, 'loc-args': args } = localised
  const text = body ?? (typeof alert === 'string' ? alert : undefined)
  return {
    data: JSON.stringify({ id, type, topic }),
    android: {
      ttl: lifetime(expiry === undefined ? push.giveUpAtMS : expiry * 1_000),
      notification: {
        ...{ title: title || ' ', body: text || ' ', click_action: { type: 3 }, tag: collapseId(collapseKey ?? id) },
        body_loc_key: key,
        body_loc_args: args?.map(argumentText),
        ...(icon !== undefined && URL.canParse(icon) && { image: icon }),
        ...soundOf(sound),
        ...badgeOf(badge, badgeClass),
      },
    },
  }
}

/** The app's sounds are in its folder `raw`. */
function soundOf(sound: string | undefined): object {
  return sound === undefined ? {} : { sound: `/raw/${sound.replace(/\.\w+$/, '')}`, default_sound: false }
}

/** Push Kit accepts numbers below 100. */
function badgeOf(badge: number | undefined, badgeClass: string | undefined): object {
  if (badge === undefined || badgeClass === undefined) return {}
  return { badge: { class: badgeClass, set_num: Math.min(99, Math.max(0, badge)) } }
}

function lifetime(untilMS: number): string {
  return `${Math.min(maxS, Math.max(1, Math.round((untilMS - clock.now()) / 1_000)))}s`
}
