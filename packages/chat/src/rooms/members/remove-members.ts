import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { removeMembers as operation } from '@parley/contracts/operations/rooms/members'
import { maxMembersShown, type Room } from '@parley/contracts/resources/room'
import { digest } from '@parley/db/apps/apps'
import { key } from '@parley/db/keys'
import type { MembershipDoc, RoomDoc } from '@parley/db/rooms/documents'
import { findMembershipsByKey } from '@parley/db/rooms/memberships'
import { removeMembers as removeFrom } from '@parley/db/rooms/remove-members'
import { findMembersAmong } from '@parley/db/rooms/room-members'
import { inTransaction, type Session } from '@parley/db/transactions/transaction'
import { type Caller, userOf } from '../../access/caller.ts'
import { findActingRole, findRole, requireRole } from '../../access/room-role.ts'
import { membersInAudit } from '../../audit/recorder.ts'
import type { Chat } from '../../chat.ts'
import { changeAndNote, publishRoom } from '../../events/change-and-notify.ts'
import { membersChanged, notifyUser } from '../../events/event-builders.ts'
import { roomOrderingKey } from '../../events/ordering-keys.ts'
import { writeSystemMessage } from '../../messages/sending/send-system-messages.ts'

/**
 * Removes members from a group, or the caller (docs/reference/rooms.md#members). When this settles their sockets
 * receive nothing more of the room, on any node. The remaining members get `room`, the removed `removedFromRoom`.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS, CLIENT_NOT_FOUND naming
 *   users outside the room, INVALID_REQUEST for a direct room
 */
export async function removeMembers(
  chat: Chat,
  by: Caller,
  roomId: string,
  request: Input<typeof operation>['body'],
): Promise<Room> {
  const { app } = by
  const user = userOf(by)
  const members = [...new Set(request.members)]
  const isLeaving = members.length === 1 && members[0] === user
  if (request.systemMessage === true) {
    const { room, sender, ending } = await inTransaction(chat.db, async (session) => {
      const checked = await check(chat, by, roomId, members, session)
      return {
        room: checked,
        sender: await speaker(chat, checked, user, members, session),
        ending: await findMembershipsByKey(
          chat.db,
          members.map((member) => key(app, roomId, member)),
          session,
        ),
      }
    })
    // Before they leave: it is the last message that they see of the room, and only now can they be its sender.
    await writeSystemMessage(
      chat,
      room,
      {
        messageType: isLeaving ? 'leaveRoom' : 'deleteMember',
        sender,
        isForOther: sender !== user,
        members,
      },
      keyOfEnd(ending),
    )
  }
  const changed = await changeAndNote(chat, roomOrderingKey(app, roomId), async (session, pending) => {
    const before = await check(chat, by, roomId, members, session)
    const { room, removed } = await removeFrom(chat.db, before, members, maxMembersShown, session)
    chat.audit?.note({ before: membersInAudit(removed) })
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
  members: readonly string[],
  session: Session,
): Promise<RoomDoc> {
  const isLeaving = members.every((member) => member === userOf(by))
  const { room, role } = await (isLeaving ? findRole : findActingRole)(chat, by, roomId, session)
  if (room.roomType === 'direct') throw new ApiError('INVALID_REQUEST', 'id: a direct room has exactly two members')
  if (!isLeaving) requireRole(role, 'manager', 'others are taken out')
  if (role === 'manager' && members.some((member) => member === room.owner)) {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'members: a manager cannot take out the owner')
  }
  const known = await findMembersAmong(chat.db, room, members, session)
  const others = members.filter((member) => !known.has(member)).map((member) => JSON.stringify(member))
  if (others.length > 0) throw new ApiError('CLIENT_NOT_FOUND', `members: not in the room: ${others.join(', ')}`)
  return room
}

/** The same for every request that ends these memberships: it may be repeated, or come twice. */
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
