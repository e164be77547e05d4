import type { Message, Room } from '../generated/types.ts'
import { noUnread, recounted, totalOf, type UnreadCount, withMessage } from './unread-count.ts'

/** A room as the user sees it, with its current `unread` count. */
export interface RoomInfo extends Room {
  unread: number
}

/** A room of the list with its unread count. */
export interface Listed {
  resource: Room
  unread: UnreadCount
}

export const toInfo = ({ resource, unread }: Listed): RoomInfo => ({ ...resource, unread: totalOf(unread) })

/** Takes over a room just read. Messages that arrived during the read are newer. */
export function asRead(before: Listed | undefined, resource: Room): Listed {
  const upToSeq = resource.lastMessage?.seq ?? 0
  const last = before?.resource.lastMessage
  const lastMessage = last && last.seq > upToSeq ? last : resource.lastMessage
  return {
    resource: { ...resource, ...(lastMessage && { lastMessage }) },
    unread: recounted(before?.unread ?? noUnread, resource.unread ?? 0, upToSeq),
  }
}

export function afterMessage({ resource, unread }: Listed, message: Message, me: string | undefined): Listed {
  const isLatest = message.seq > (resource.lastMessage?.seq ?? 0)
  return {
    resource: isLatest ? { ...resource, lastMessage: message } : resource,
    unread: withMessage(unread, message, me),
  }
}

/** Keeps the per-user fields, which the event omits. */
export function afterRoomEvent({ resource: before, unread }: Listed, resource: Room): Listed {
  const { muted, pref, notifications, lastMessage } = before
  const own = {
    ...(muted !== undefined && { muted }),
    ...(pref && { pref }),
    ...(notifications && { notifications }),
    ...(lastMessage && { lastMessage }),
  }
  return { resource: { ...resource, ...own }, unread }
}
