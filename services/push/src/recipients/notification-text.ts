import { textOf, truncate } from '@parley/chat/messages/reading/message-text'
import type { Message } from '@parley/contracts/resources/message'
import type { AppNotifications } from '@parley/contracts/resources/push/notification-settings'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { shortened } from '../networks/fitting-content.ts'
import type { PushContent } from '../networks/network.ts'
import { textsOf } from './texts-of-app.ts'

/** Message types with their own loc-key (docs/reference/push.md#recipients). */
const withOwnText = new Set(['text', 'image', 'file', 'video', 'audio', 'location', 'announcement'])
const maxText = 200
/** APNs accepts 4,096 bytes, FCM 4,000; this leaves room for IDs and other fields. */
const maxArgsBytes = 2_400

/** The notification of a message: the app's texts, or a key with arguments that the app localizes. */
export function messageNotification(
  message: Message,
  room: RoomDoc,
  { texts, preview }: Pick<AppNotifications, 'texts' | 'preview'>,
  request: string | undefined,
): PushContent & { of: 'message' } {
  const { messageType } = message
  const own = textsOf(texts, message, room.roomType, preview)
  const text = preview ? truncate(textOf(message.message), maxText) : ''
  return {
    of: 'message',
    locKey: withOwnText.has(messageType) ? `im_loc_${messageType}` : 'im_loc_message',
    mentionedLocKey: 'im_loc_mention',
    locArgs: [...shortened([message.sender.nickname, room.name, text], maxArgsBytes, (args) => args)],
    ...(own && { texts: own }),
    room: message.room,
    messageID: message._id,
    seq: message.seq,
    messageType,
    sender: message.sender._id,
    ...(message.threadOf !== undefined && { threadOf: message.threadOf }),
    ...(request !== undefined && { request }),
  }
}

/** The notification of a reminder: its own key, or the app's texts for the type `reminder`. */
export function reminderNotification(
  message: Message,
  room: RoomDoc,
  notifications: Pick<AppNotifications, 'texts' | 'preview'>,
): PushContent {
  const locKey = 'im_loc_reminder'
  const { texts: _texts, ...rest } = messageNotification(message, room, notifications, undefined)
  const own = textsOf(
    notifications.texts,
    { ...message, messageType: 'reminder' },
    room.roomType,
    notifications.preview,
  )
  return { ...rest, locKey, mentionedLocKey: locKey, reminder: true, ...(own && { texts: own }) }
}
