import { stub, withChange } from '@parley/db/messages/change-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { unflushedOf } from '@parley/db/room-buffer/buffer'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { unreadOf } from '@parley/db/rooms/memberships'
import { findRoomOfMember, type ShownRoom } from '@parley/db/rooms/rooms-of-member'
import { onlyUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { checkMember, checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { JsonText } from '../views/json-text.ts'
import { roomJsonTo } from '../views/room.ts'

/**
 * A room as seen by one of its members (docs/reference/rooms.md#read).
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function getRoom(chat: Chat, caller: UserCaller, roomId: string): Promise<JsonText> {
  const { text } = await roomForMember(chat, caller, roomId)
  return new JsonText([text])
}

/** Like getRoom, but returns both the document and the JSON text. */
export async function roomForMember(
  chat: Chat,
  caller: UserCaller,
  roomId: string,
): Promise<{ room: RoomDoc; text: string }> {
  const found = await findRoomOfMember(chat.db, caller.app, roomId, caller.user)
  const room = checkRoom(found?.room, roomId)
  const membership = checkMember(found?.memberships[0])
  const shown = { room, last: found?.last ?? [], users: found?.users ?? [] }
  const of = { membership, unread: unreadOf(membership, room) }
  const [text = ''] = await shownRoomTexts(chat, caller, [{ of, shown }])
  return { room, text }
}

interface RoomToShow {
  of: { membership: Pick<MembershipDoc, 'hiddenUpToSeq' | 'pref' | 'notify'>; unread: number }
  shown: ShownRoom
}

/** A member's rooms as JSON texts, in order. A latest message that they deleted for themselves is a stub. */
export async function shownRoomTexts(
  { db }: Chat,
  { app, user }: UserCaller,
  rooms: readonly RoomToShow[],
): Promise<string[]> {
  const latest = rooms.flatMap(({ shown }) => lastMessageOf(shown))
  // Only these may be hidden and are looked up.
  const maybeHidden = rooms.flatMap(({ of: { membership }, shown }) =>
    lastMessageOf(shown).filter(({ seq }) => seq <= (membership.hiddenUpToSeq ?? 0)),
  )
  const [quoted, hidden] = await Promise.all([
    findQuoted(db, latest, new Map(rooms.map(({ shown: { room } }) => [room._id, room]))),
    findUserDeletions(db, app, user, maybeHidden),
  ])
  return rooms.map(({ of, shown }) => {
    const [last] = lastMessageOf(shown)
    const lastMessage = last && hidden.has(last._id) ? withChange(last, stub) : last
    return roomJsonTo(of, shown.room, onlyUsers(shown.users), { lastMessage, quoted })
  })
}

function lastMessageOf({ room, last: [flushed] }: Pick<ShownRoom, 'room' | 'last'>): MessageDoc[] {
  const last = flushed ?? unflushedOf(room).at(-1)
  return last ? [last] : []
}
