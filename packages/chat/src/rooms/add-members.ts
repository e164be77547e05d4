import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { addMembers as operation } from '@parley/contracts/operations/rooms/members'
import type { Invitation } from '@parley/contracts/resources/invitation'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { endInvitations, saveInvitations } from '@parley/db/rooms/invitations'
import { findMembersAmong } from '@parley/db/rooms/room-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findUsers, findUsersAndGroups } from '@parley/db/users/users'
import { type Caller, userOf } from '../access/caller.ts'
import { findActingRole } from '../access/room-role.ts'
import { membersInAudit } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify, publishRoom, publishWaiting } from '../events/change-and-notify.ts'
import { notifyUser } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { sendSystemMessages } from '../messages/send-system-messages.ts'
import { toInvitationView, toRoomViewFor } from '../views/room.ts'
import {
  addMembersInBatch,
  type MembersAdded,
  type MembersToAdd,
  maxBatched,
  requireInviter,
} from './add-members-batch.ts'
import { expandMembers } from './expand-members.ts'
import { recordJoinedMembers } from './record-joined-members.ts'

/**
 * Adds users to a group, or invites them (docs/reference/rooms.md#members). Existing members stay. New members have
 * nothing unread, and their sockets are in the room when this settles.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, ROOM_CLOSED, USER_BLOCKED, CLIENT_NOT_FOUND naming the unknown
 * users, INVALID_REQUEST for a direct room or too many members
 */
export async function addMembers(
  chat: Chat,
  by: Caller,
  roomId: string,
  request: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  const invitees = [...new Set(request.invitees)]
  if (request.invitationRequired === true) return invite(chat, by, roomId, await expand(chat, by, invitees))
  const isAnnounced = request.systemMessage === true
  const audit = chat.audit?.handOver({ after: membersInAudit(invitees) })
  const { room, added, entries, messages, profiles } = await add(chat, { by, roomId, invitees, isAnnounced, audit })
  if (added.length === 0) {
    await publishWaiting(chat, room)
    return toRoomViewFor(by, room, await findUsers(chat.db, by.app, room.firstMembers))
  }
  const ofApp = [...profiles.values()].filter(({ app }) => app === by.app)
  const [shown] = await Promise.all([
    publishRoom(chat, by, { value: room, entries }, new Map(ofApp.map((user) => [user.id, user]))),
    recordJoinedMembers(chat, room, added),
  ])
  await sendSystemMessages(chat, messages)
  return shown
}

/** Most invitees are users, which the deciding read finds. Groups are expanded only if it found some. */
async function add(chat: Chat, wanted: MembersToAdd): Promise<MembersAdded> {
  const isLarge = wanted.invitees.length > maxBatched
  const [outcome] = isLarge ? await addMembersInBatch(chat, [wanted]) : [await chat.addMembers(wanted)]
  if (!outcome || 'refused' in outcome) throw outcome?.refused ?? new ApiError('INTERNAL_ERROR')
  if ('added' in outcome) return outcome
  return add(chat, { ...wanted, invitees: await expand(chat, wanted.by, wanted.invitees), isExpanded: true })
}

async function expand(chat: Chat, { app }: Caller, invitees: readonly string[]): Promise<string[]> {
  return (await expandMembers(chat, app, invitees, 'invitees')).members
}

async function invite(
  chat: Chat,
  by: Caller,
  roomId: string,
  invitees: readonly string[],
): Promise<Result<typeof operation>> {
  const orderingKey = roomOrderingKey(by.app, roomId)
  const { room, invitations } = await changeAndNotify(chat, orderingKey, async (session, pending) => {
    const { room: found, role } = await findActingRole(chat, by, roomId, session)
    requireInviter(found, role)
    chat.audit?.addDetails({ after: { invited: membersInAudit(invitees) } })
    const all = await findMembersAmong(chat.db, found, invitees, session)
    const fresh = invitees.filter((user) => !all.has(user))
    const of = { app: by.app, room: roomId, inviter: userOf(by) ?? found.owner ?? found.firstMembers[0] ?? '' }
    const shown = (await saveInvitations(chat.db, of, fresh, session)).map((each) => toInvitationView(each, found.name))
    for (const invitation of shown) {
      notifyUser(pending, { app: by.app, user: invitation.invitee }, 'invitation', invitation)
    }
    return { room: found, invitations: shown }
  })
  const users = await findUsers(chat.db, by.app, [...room.firstMembers, ...invitations.map(({ invitee }) => invitee)])
  const gone = invitations.filter(({ invitee }) => !users.has(invitee))
  if (gone.length > 0) await endOfErased(chat, room, gone)
  return { ...toRoomViewFor(by, room, users), invitations: invitations.filter((one) => !gone.includes(one)) }
}

/** Removes invitations of users erased since the commit: a later user with the same ID must not have them. */
async function endOfErased(
  { db }: Chat,
  room: RoomDoc,
  invitations: readonly Pick<Invitation, 'invitee'>[],
): Promise<void> {
  const invitees = invitations.map(({ invitee }) => invitee)
  await inTransaction(db, async (session) => {
    const existing = await findUsersAndGroups(db, room.app, invitees, session)
    const gone = invitees.filter((user) => !existing.has(user))
    await endInvitations(db, room, gone, session)
  })
}
