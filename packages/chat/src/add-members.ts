import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { maxMembers, type addMembers as operation } from '@parley/contracts/operations/members'
import type { Invitation } from '@parley/contracts/resources/invitation'
import { maxMembersShown } from '@parley/contracts/resources/room'
import { type InvitationDoc, saveInvitations, takeInvitation } from '@parley/db/invitations'
import { addMembersTo, findMembersAmong, type MembershipDoc } from '@parley/db/memberships'
import type { RoomDoc } from '@parley/db/rooms'
import { inTransaction } from '@parley/db/transaction'
import { findUsers, recordJoin } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { controlMembers } from './control-users.ts'
import { expandMembers } from './create-room.ts'
import { type Actor, findRole, isAtLeast, type Role } from './room-role.ts'
import { showRoom } from './show-room.ts'
import { writeSystemMessage } from './system-message.ts'
import { tellMembersChange } from './tell-members-change.ts'
import { tellUser } from './tell-user.ts'
import { tellRoom } from './update-room.ts'

type Request = Input<typeof operation>['body']

/**
 * Makes users members of a group at once, or invites them (decisions.md, "Rooms and members"). Who is one already stays
 * one. A new member has nothing unread, and his sockets are in the room when this settles.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, ROOM_CLOSED, USER_BLOCKED, CLIENT_NOT_FOUND naming the unknown,
 *   INVALID_REQUEST for a direct room or too many members
 */
export async function addMembers(
  chat: Chat,
  by: Actor,
  roomId: string,
  request: Request,
): Promise<Result<typeof operation>> {
  const { members: invitees } = await expandMembers(chat, by.app, request.invitees, 'invitees')
  if (request.invitationRequired === true) return invite(chat, by, roomId, invitees)
  const { room, added } = await inTransaction(chat.db, async (session) => {
    const { room: before, role, membership } = await findRole(chat, by, roomId, session)
    requireInviter(before, role, membership)
    const all = await findMembersAmong(chat.db, before, invitees, session)
    const fresh = invitees.filter((user) => !all.has(user))
    if (before.memberCount + fresh.length > maxMembers) {
      throw new ApiError('INVALID_REQUEST', `invitees: a group has at most ${maxMembers} members`)
    }
    return { room: await addMembersTo(chat.db, before, fresh, maxMembersShown, session), added: fresh }
  })
  const [first] = added
  if (first === undefined) return showRoom(room, await findUsers(chat.db, by.app, room.firstMembers))
  await recordJoin(chat.db, by.app, added)
  await controlMembers(chat, by.app, 'joined', room.id, added)
  const shown = await tellRoom(chat, room)
  await tellMembersChange(chat, by.app, { event: 'ADD_MEMBERS', room: room.id, sender: by.user, members: added })
  if (request.systemMessage === true) {
    const isMember = by.user !== undefined && (await isMemberNow(chat, room, by.user))
    await writeSystemMessage(chat, room, 'addMembers', isMember && by.user !== undefined ? by.user : first, added)
  }
  return shown
}

async function invite(
  chat: Chat,
  by: Actor,
  roomId: string,
  invitees: readonly string[],
): Promise<Result<typeof operation>> {
  const { room, invitations } = await inTransaction(chat.db, async (session) => {
    const { room: found, role, membership } = await findRole(chat, by, roomId, session)
    requireInviter(found, role, membership)
    const all = await findMembersAmong(chat.db, found, invitees, session)
    const fresh = invitees.filter((user) => !all.has(user))
    const of = { app: by.app, room: roomId, inviter: by.user ?? found.owner ?? found.firstMembers[0] ?? '' }
    return { room: found, invitations: await saveInvitations(chat.db, of, fresh, session) }
  })
  const shown = invitations.map(showInvitation)
  for (const invitation of shown) {
    await tellUser(chat, { app: by.app, user: invitation.invitee }, 'invitation', invitation)
  }
  return { ...showRoom(room, await findUsers(chat.db, by.app, room.firstMembers)), invitations: shown }
}

/** Takes an invitation away unused. @throws ApiError INVITATION_NOT_FOUND */
export async function declineInvitation(
  chat: Chat,
  { app, user }: { app: string; user: string },
  room: string,
): Promise<Invitation> {
  const taken = await takeInvitation(chat.db, app, room, user)
  if (!taken) throw new ApiError('INVITATION_NOT_FOUND', `no invitation to ${JSON.stringify(room)} is open`)
  return showInvitation(taken)
}

/** A closed room is closed to plain members; where nobody is more than that, every member may invite. */
function requireInviter(room: RoomDoc, role: Role, membership: MembershipDoc | undefined): void {
  if (room.roomType === 'direct') {
    throw new ApiError('INVALID_REQUEST', 'id: a direct room has exactly two members')
  }
  if (membership?.blocked) throw new ApiError('USER_BLOCKED')
  const isRuled = room.owner !== undefined || room.managers.length > 0
  if (room.opening === 0 && isRuled && !isAtLeast(role, 'manager')) throw new ApiError('ROOM_CLOSED')
}

async function isMemberNow(chat: Chat, room: RoomDoc, user: string): Promise<boolean> {
  return (await findMembersAmong(chat.db, room, [user])).has(user)
}

function showInvitation({ id, inviter, invitee, room, createdAt, updatedAt }: InvitationDoc): Invitation {
  return {
    _id: id,
    inviter,
    invitee,
    room,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
