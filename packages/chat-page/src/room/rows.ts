import type { RoomMessage } from '@parley/client'
import { contentOf, isSystem } from '../message/content.ts'

/** A message in the list, with the layout that depends on its neighbours. */
export interface Row {
  message: RoomMessage
  startsDay: boolean
  /** Whether it is the first message that was unread when the room was opened. */
  isFirstUnread: boolean
  /** Whether it is the first or last of a group of messages from one sender. */
  startsGroup: boolean
  endsGroup: boolean
}

const groupMS = 5 * 60_000
const days = new WeakMap<RoomMessage, number>()

export function toRows(messages: readonly RoomMessage[], firstUnread: string | undefined): Row[] {
  return messages.map((message, index) => {
    const before = messages[index - 1]
    const after = messages[index + 1]
    return {
      message,
      startsDay: !before || dayOf(before) !== dayOf(message),
      isFirstUnread: message._id !== '' && message._id === firstUnread,
      startsGroup: !before || before._id === undefined || !areTogether(before, message) || message._id === firstUnread,
      endsGroup: !after || !areTogether(message, after) || after._id === firstUnread,
    }
  })
}

function areTogether(one: RoomMessage, next: RoomMessage): boolean {
  return (
    one.sender._id === next.sender._id &&
    !isSystem(one) &&
    !isSystem(next) &&
    next.messageTimeMS - one.messageTimeMS < groupMS &&
    dayOf(one) === dayOf(next)
  )
}

/** The day in the user's time zone. */
function dayOf(message: RoomMessage): number {
  const known = days.get(message)
  if (known !== undefined) return known
  const time = new Date(message.messageTimeMS)
  const day = time.getFullYear() * 10_000 + time.getMonth() * 100 + time.getDate()
  days.set(message, day)
  return day
}

/** The message where "new" begins: the first of the last `unread` from others. Undefined if none, or not loaded. */
export function firstUnreadOf(messages: readonly RoomMessage[], unread: number): string | undefined {
  let left = unread
  for (const message of messages.toReversed()) {
    if (left === 0) return undefined
    if (!message.isMine && !message.isDeleted && contentOf(message).kind !== 'recalled') left--
    if (left === 0) return message._id
  }
  return undefined
}
