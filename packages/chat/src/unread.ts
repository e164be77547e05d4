import { findMembershipsOfUser, unreadOf } from '@parley/db/memberships'
import { findRoomsByKey, type RoomDoc } from '@parley/db/rooms'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { jsonObject } from './json-object.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>

/**
 * The caller's total unread messages over all rooms (interface.md, GET /me/badge). Counts nothing: the
 * cost grows with the caller's rooms alone.
 */
export async function totalUnread(chat: Chat, caller: Caller): Promise<number> {
  return sum(await unreadByRoom(chat, caller))
}

/**
 * Unread by the rooms' tags (interface.md, POST /badges/byRoomTags): of the tags asked for, or with none of all that
 * the caller's rooms have. The total counts each room once.
 */
export async function unreadByTags(
  chat: Chat,
  caller: Caller,
  tags: readonly string[] = [],
): Promise<{ totalBadge: number; data: Record<string, number> }> {
  const rooms = await unreadByRoom(chat, caller)
  const wanted = new Set(tags.length > 0 ? tags : rooms.flatMap(({ room }) => room.roomTags))
  const perTag = new Map([...wanted].map((tag) => [tag, 0]))
  const counted = rooms.filter(({ room }) => room.roomTags.some((tag) => wanted.has(tag)))
  for (const { room, unread } of counted) {
    for (const tag of new Set(room.roomTags)) if (wanted.has(tag)) perTag.set(tag, (perTag.get(tag) ?? 0) + unread)
  }
  const data = jsonObject([...perTag].map(([name, unread]) => ({ name, json: String(unread) })))
  return { totalBadge: sum(counted), data: data as Record<string, number> }
}

async function unreadByRoom(chat: Chat, caller: Caller): Promise<{ room: RoomDoc; unread: number }[]> {
  const memberships = await findMembershipsOfUser(chat.db, caller.app, caller.user)
  const found = await findRoomsByKey(
    chat.db,
    memberships.map(({ roomKey }) => roomKey),
  )
  const rooms = new Map(found.map((room) => [room._id, room]))
  return memberships.flatMap((membership) => {
    const room = rooms.get(membership.roomKey)
    return room && !room.deletedAt ? [{ room, unread: unreadOf(membership, room) }] : []
  })
}

function sum(rooms: readonly { unread: number }[]): number {
  return rooms.reduce((total, { unread }) => total + unread, 0)
}
