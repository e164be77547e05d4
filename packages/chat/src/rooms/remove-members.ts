import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { removeMembers as operation } from '@parley/contracts/operations/rooms/members'
import type { Room } from '@parley/contracts/resources/room'
import { digest } from '@parley/db/apps/apps'
import type { Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { lockRoomWithoutFlush } from '@parley/db/rooms/lock-room'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { removeMembers as removeFrom } from '@parley/db/rooms/remove-members'
import { findMembersAmong } from '@parley/db/rooms/room-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { type Caller, userOf } from '../access/caller.ts'
import { findActingRole, findRole, requireRole } from '../access/room-role.ts'
import { membersInAudit } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom } from '../events/change-and-notify.ts'
import { membersChanged, notifyUser } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { writeSystemMessage } from '../messages/send-system-messages.ts'

/**
 * Removes members, or the caller, from a group (docs/reference/rooms.md#members). When this settles, their sockets get
 * no more events of the room on any node. Remaining members get `room`, removed ones `removedFromRoom`.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS, CLIENT_NOT_FOUND naming
 * users outside the room, INVALID_REQUEST for a direct room
 */
export async function removeMembers(
  chat: Chat,
  by: Caller,
  roomId: string,
  request: Input<typeof operation>['body'],
): Promise<Room> {
  const { app } = by
  const user = userOf(by)
  const given = [...new Set(request.members)]
  if (request.systemMessage === true) {
    const { room, members, sender, ending } = await inTransaction(chat.db, async (session) => {
      const checked = await check(chat, by, roomId, given, session)
      const keys = checked.members.map((member) => key(app, roomId, member))
      return {
        ...checked,
        sender: await speaker(chat, checked.room, user, checked.members, session),
        ending: await findMembershipsByKey(chat.db, keys, session),
      }
    })
    // Written before they leave: it is the last message of the room that they see, and only members can be its sender.
    await writeSystemMessage(
      chat,
      room,
      {
        messageType: given.every((member) => member === user) ? 'leaveRoom' : 'deleteMember',
        sender,
        isForOther: sender !== user,
        members,
      },
      keyOfEnd(ending),
    )
  }
  const changed = await commitChange(chat, roomOrderingKey(app, roomId), async (session, pending) => {
    const before = await check(chat, by, roomId, given, session)
    const { room, removed } = await removeFrom(chat.db, before.room, before.members, session)
    chat.audit?.addDetails({ before: membersInAudit(removed) })
    membersChanged(pending, room, { event: 'DELETE_MEMBERS', sender: user, members: removed })
    const payload = { room: roomId, by: user ?? null }
    for (const member of removed) notifyUser(pending, { app, user: member }, 'removedFromRoom', payload)
    return room
  })
  return publishRoom(chat, by, changed)
}

async function check(
  chat: Chat,
  by: Caller,
  roomId: string,
  given: readonly string[],
  session: Session,
): Promise<{ room: RoomDoc; members: string[] }> {
  const isLeaving = given.every((member) => member === userOf(by))
  const { room, role } = await (isLeaving ? findRole : findActingRole)(chat, by, roomId, session, lockRoomWithoutFlush)
  if (room.roomType === 'direct') throw new ApiError('INVALID_REQUEST', 'id: a direct room has exactly two members')
  if (!isLeaving) requireRole(role, 'manager', 'removing other members')
  const members = await membersNamed(chat, room, given, session)
  if (role === 'manager' && members.some((member) => member === room.owner)) {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'members: a manager cannot remove the owner')
  }
  return { room, members }
}

/** The members named by ID or group, which stands for its members. @throws ApiError CLIENT_NOT_FOUND naming others */
async function membersNamed(chat: Chat, room: RoomDoc, given: readonly string[], session: Session): Promise<string[]> {
  const known = await findMembersAmong(chat.db, room, given, session)
  const others = given.filter((member) => !known.has(member))
  if (others.length === 0) return [...given]
  const groups = await chat.findUsers(others.map((id) => key(room.app, id)))
  const inGroups = (id: string) => groups.get(key(room.app, id))?.groupMembers ?? []
  const ofGroups = await findMembersAmong(chat.db, room, others.flatMap(inGroups), session)
  const outside = others.filter((id) => !inGroups(id).some((member) => ofGroups.has(member)))
  if (outside.length === 0) return [...new Set([...given.filter((id) => known.has(id)), ...ofGroups])]
  const named = outside.map((id) => JSON.stringify(id)).join(', ')
  throw new ApiError('CLIENT_NOT_FOUND', `members: not in the room: ${named}`)
}

/** The same key for every request that ends these memberships, since a request may be repeated or sent twice. */
function keyOfEnd(memberships: readonly Pick<MembershipDoc, '_id' | 'joinedAtMS'>[]): string {
  const ended = memberships.map(({ _id, joinedAtMS }) => `${_id} ${joinedAtMS}`).toSorted()
  return `end of ${digest(JSON.stringify(ended))}`
}

async function speaker(
  chat: Chat,
  room: RoomDoc,
  user: string | undefined,
  members: readonly string[],
  session: Session,
): Promise<string> {
  if (user !== undefined && (await findMembersAmong(chat.db, room, [user], session)).has(user)) return user
  return members[0] ?? ''
}
