import { stub, withChange } from '@parley/db/messages/change-messages'
import type { MessageDoc } from '@parley/db/messages/messages'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { type MembershipDoc, unreadOf } from '@parley/db/rooms/memberships'
import type { RoomDoc } from '@parley/db/rooms/rooms'
import { findRoomOfMember, type ShownRoom } from '@parley/db/rooms/rooms-of-member'
import { unsettledOf } from '@parley/db/sending/tails'
import { onlyUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { checkMember, checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { findQuoted, type Quoted } from '../messages/reading/quoted-messages.ts'
import { JsonText } from '../views/json-text.ts'
import { roomJsonTo } from '../views/room.ts'

/**
 * A room as one of its members sees it (docs/reference/rooms.md#read).
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function getRoom(chat: Chat, caller: UserCaller, roomId: string): Promise<JsonText> {
  const { text } = await roomForMember(chat, caller, roomId)
  return new JsonText([text])
}

/** The same, as a document and as JSON text. */
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
  const [quoted, hidden] = await Promise.all([
    findQuoted(chat.db, lastMessageOf(shown), new Map([[room._id, room]])),
    findHidden(chat, caller, [{ of, shown }]),
  ])
  return { room, text: shownRoomJson(of, shown, { quoted, hidden }) }
}

/** What one of its members is shown of a room, as JSON text. A latest message that they deleted for themselves is a stub. */
export function shownRoomJson(
  of: { membership: Pick<MembershipDoc, 'pref'>; unread: number },
  shown: ShownRoom,
  { quoted, hidden }: { quoted: Quoted; hidden: ReadonlySet<string> },
): string {
  const [lastMessage] = lastMessageOf(shown).map((message) =>
    hidden.has(message._id) ? withChange(message, stub) : message,
  )
  return roomJsonTo(of, shown.room, onlyUsers(shown.users), { lastMessage, quoted })
}

/** Which of the latest messages a member deleted for themselves, by ID. Reads nothing where none can be. */
export function findHidden(
  { db }: Chat,
  { app, user }: UserCaller,
  rooms: readonly { of: { membership: Pick<MembershipDoc, 'hiddenUpToSeq'> }; shown: ShownRoom }[],
): Promise<Set<string>> {
  const maybe = rooms.flatMap(({ of: { membership }, shown }) =>
    lastMessageOf(shown).filter(({ seq }) => seq <= (membership.hiddenUpToSeq ?? 0)),
  )
  return findUserDeletions(db, app, user, maybe)
}

/** The latest message of a room, if it has any. */
export function lastMessageOf({ room, last: [settled] }: Pick<ShownRoom, 'room' | 'last'>): MessageDoc[] {
  const last = settled ?? unsettledOf(room).at(-1)
  return last ? [last] : []
}
