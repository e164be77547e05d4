import { findRoomsOfMember } from '@parley/db/rooms/rooms-of-member'
import { totalUnreadOf } from '@parley/db/unread/total-unread'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'

/** The caller's total unread messages (docs/reference/unread.md#badges), without counting messages. */
export async function totalUnread(chat: Chat, { app, user }: UserCaller): Promise<number> {
  return (await totalUnreadOf(chat.db, app, [user])).get(user) ?? 0
}

/** Unread messages by room tag (docs/reference/unread.md#badges), all by default. The total counts each room once. */
export async function unreadByTags(
  chat: Chat,
  caller: UserCaller,
  tags: readonly string[] = [],
): Promise<{ totalBadge: number; data: Record<string, number> }> {
  const rooms = await findRoomsOfMember(chat.db, caller.app, caller.user)
  const wanted = new Set(tags.length > 0 ? tags : rooms.flatMap(({ room }) => room.roomTags))
  const perTag = new Map([...wanted].map((tag) => [tag, 0]))
  const counted = rooms.filter(({ room }) => room.roomTags.some((tag) => wanted.has(tag)))
  for (const { room, unread } of counted) {
    for (const tag of new Set(room.roomTags)) if (wanted.has(tag)) perTag.set(tag, (perTag.get(tag) ?? 0) + unread)
  }
  return { totalBadge: counted.reduce((total, { unread }) => total + unread, 0), data: Object.fromEntries(perTag) }
}
