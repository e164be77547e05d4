import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import { maxMembers, type listInvitations as operation } from '@parley/contracts/operations/rooms/members'
import type { Invitation } from '@parley/contracts/resources/invitation'
import type { Room } from '@parley/contracts/resources/room'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { insertSystemMessages } from '@parley/db/messages/scheduled'
import { findBan } from '@parley/db/rooms/bans'
import type { InvitationDoc } from '@parley/db/rooms/documents'
import { findInvitationsOf, takeInvitation } from '@parley/db/rooms/invitations'
import { lockRoomWithoutFlush } from '@parley/db/rooms/lock-room'
import { addMembersTo, findMembersAmong } from '@parley/db/rooms/room-members'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom, publishWaiting } from '../events/change-and-notify.ts'
import { membersChanged } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { sendSystemMessages } from '../messages/send-system-messages.ts'
import { systemMessage } from '../messages/system-message.ts'
import { pageOf } from '../page-cursor.ts'
import { toInvitationView, toRoomView } from '../views/room.ts'
import { recordJoinedMembers } from './record-joined-members.ts'

/** A page of the caller's open invitations, newest first (docs/reference/rooms.md#members). */
export async function listInvitations(
  { db }: Chat,
  caller: UserCaller,
  { limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const oneMore = await findInvitationsOf(db, caller, cursor, limit + 1)
  const { shown: found, last } = pageOf(oneMore, limit)
  return { data: await shownInvitations(db, found), ...(last && { cursor: last.id }) }
}

/** Invitations with the names of their rooms. Those to deleted rooms are left out. */
export async function shownInvitations(db: Db, invitations: readonly InvitationDoc[]): Promise<Invitation[]> {
  if (invitations.length === 0) return []
  const keys = new Set(invitations.map(({ app, room }) => key(app, room)))
  const rooms = await findRoomsByKey(db, [...keys])
  const names = new Map(rooms.filter(({ deletedAt }) => !deletedAt).map(({ id, name }) => [id, name]))
  return invitations.flatMap((invitation) => {
    const name = names.get(invitation.room)
    return name === undefined ? [] : [toInvitationView(invitation, name)]
  })
}

/**
 * Lets the caller join a group that is open or that they are invited to (docs/reference/rooms.md#members). Has no
 * effect for a member.
 * @throws ApiError ROOM_NOT_FOUND, ROOM_CLOSED, USER_BLOCKED, INVALID_REQUEST if the group is full
 */
export async function joinRoom(chat: Chat, caller: UserCaller, roomId: string, isAnnounced = false): Promise<Room> {
  const { db } = chat
  const { app, user } = caller
  const { value, entries } = await commitChange(chat, roomOrderingKey(app, roomId), async (session, pending) => {
    const before = checkRoom(await lockRoomWithoutFlush(db, app, roomId, session), roomId)
    if ((await findMembersAmong(db, before, [user], session)).has(user))
      return { room: before, joined: false, messages: [] }
    const invitation = await takeInvitation(db, app, roomId, user, session)
    if (!invitation && (before.opening === 0 || before.roomType === 'direct')) throw new ApiError('ROOM_CLOSED')
    if (await findBan(db, app, roomId, user, session)) throw new ApiError('USER_BLOCKED')
    if (before.memberCount >= maxMembers) {
      throw new ApiError('INVALID_REQUEST', `id: a group has at most ${maxMembers} members`)
    }
    membersChanged(pending, before, { event: 'JOIN_ROOM', sender: user, members: [user] })
    const change = { messageType: 'joinRoom', sender: user, isForOther: false, members: [user] } as const
    const messages = isAnnounced ? [systemMessage(before, change)] : []
    await insertSystemMessages(db, messages, session)
    return { room: await addMembersTo(db, before, [user], session), joined: true, messages }
  })
  const { room, joined, messages } = value
  if (!joined) {
    await publishWaiting(chat, room)
    return toRoomView(room, await findUsers(db, app, room.firstMembers))
  }
  const shown = await publishRoom(chat, caller, { value: room, entries })
  await recordJoinedMembers(chat, room, [user])
  await sendSystemMessages(chat, messages)
  return shown
}

/** Declines an invitation, which deletes it. @throws ApiError INVITATION_NOT_FOUND */
export async function declineInvitation(chat: Chat, { app, user }: UserCaller, room: string): Promise<Invitation> {
  const taken = await takeInvitation(chat.db, app, room, user)
  if (!taken) throw new ApiError('INVITATION_NOT_FOUND', `no open invitation to ${JSON.stringify(room)}`)
  return toInvitationView(taken)
}
