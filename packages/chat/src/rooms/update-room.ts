import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import { ApiError } from '@parley/contracts/errors'
import type { Input } from '@parley/contracts/operation'
import type { updateRoom as operation } from '@parley/contracts/operations/rooms/rooms'
import type { Room } from '@parley/contracts/resources/room'
import type { Session } from '@parley/db/connect'
import { queueRoomToClear } from '@parley/db/files/files-to-clear'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findMembership } from '@parley/db/rooms/memberships'
import { findMembersAmong } from '@parley/db/rooms/room-members'
import { updateRoomDoc } from '@parley/db/rooms/rooms'
import { type Caller, userOf } from '../access/caller.ts'
import { findActingRole, type Role, requireRole } from '../access/room-role.ts'
import { changedFields } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { commitChange, publishRoom } from '../events/change-and-notify.ts'
import { roomChanged } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { requireWebhook } from '../integrations/webhook-keys.ts'
import { checkedRoom } from './room-texts.ts'

/** Left out of the audit log: a webhook URL may contain a secret, and extParams anything. */
const notShown = ['webhook', 'extParams']

type Change = Input<typeof operation>['body']

/**
 * Changes a room and emits `room` to all of its members (docs/reference/rooms.md#change-and-delete).
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS, INVALID_REQUEST,
 * MESSAGE_REFUSED
 */
export async function updateRoom(chat: Chat, by: Caller, roomId: string, change: Change): Promise<Room> {
  const texts = await checkedRoom(chat, by, roomId, change)
  if (by.kind === 'integrator') await requireWebhook(chat.db, by.app, change.webhook)
  const { extParams, ...others } = { ...change, ...texts }
  const fields = { ...others, extParams: extParams && JSON.stringify(extParams) }
  const given: Partial<RoomDoc> = defined(fields)
  const changed = await commitChange(chat, roomOrderingKey(by.app, roomId), async (session, pending) => {
    const { room, role } = await findActingRole(chat, by, roomId, session)
    requireAllowed(role, given)
    requireFitting(room, given)
    const { owner = room.owner, managers = room.managers } = given
    await requireMembers(chat, room, 'managers', given.managers ?? [], session)
    if (given.owner !== undefined) await requireOwnerToBe(chat, room, given.owner, session)
    const ruledBy = (given.owner !== undefined || given.managers) && {
      managers: [...new Set(managers)].filter((manager) => manager !== owner),
    }
    chat.audit?.addDetails(changedFields(room, { ...given, ...ruledBy }, notShown))
    roomChanged(pending, room, { by: userOf(by) })
    return updateRoomDoc(chat.db, room, { ...given, ...ruledBy }, session)
  })
  return publishRoom(chat, by, changed)
}

function requireAllowed(
  role: Role,
  { owner, managers, status, webhook, botState, retentionDays }: Partial<RoomDoc>,
): void {
  requireRole(role, 'manager', 'changing a room')
  if (owner !== undefined || managers || status !== undefined) {
    requireRole(role, 'owner', 'changing owner, managers and status')
  }
  // The webhook receives calls signed by the app, and may respond as any bot of the room.
  if ((webhook !== undefined || botState !== undefined) && role !== 'integrator') {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'webhook and botState can be set only with an API key')
  }
  if (retentionDays !== undefined && role !== 'integrator') {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'retentionDays can be set only with an API key')
  }
}

/** @throws ApiError INVALID_REQUEST for fields that direct rooms lack */
function requireFitting({ roomType, pair }: RoomDoc, { owner, managers = [], status }: Partial<RoomDoc>): void {
  if (roomType === 'group') return
  if (owner !== undefined) throw new ApiError('INVALID_REQUEST', 'owner: a direct room has no owner')
  if (managers.length > 0) throw new ApiError('INVALID_REQUEST', 'managers: a direct room has no managers')
  if (status === 1 && pair === undefined) {
    throw new ApiError('INVALID_REQUEST', 'status: a member of the room was erased, so it stays closed')
  }
}

async function requireMembers(
  chat: Chat,
  room: RoomDoc,
  field: string,
  users: readonly string[],
  session: Session,
): Promise<void> {
  const members = await findMembersAmong(chat.db, room, users, session)
  const others = users.filter((user) => !members.has(user)).map((user) => JSON.stringify(user))
  if (others.length > 0)
    throw new ApiError('INVALID_REQUEST', `${field}: not members of the room: ${others.join(', ')}`)
}

async function requireOwnerToBe(chat: Chat, room: RoomDoc, user: string, session: Session): Promise<void> {
  await requireMembers(chat, room, 'owner', [user], session)
  const membership = await findMembership(chat.db, room.app, room.id, user, session)
  // Only the owner can lift bans, so a banned owner could never be unbanned.
  if (membership && isBlocked(membership))
    throw new ApiError('INVALID_REQUEST', `owner: ${JSON.stringify(user)} is banned in the room`)
}

/**
 * Deletes a room: it disappears from every list, its members get `room` with status 0, and files sent to it are
 * removed.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER, USER_BLOCKED, INSUFFICIENT_PERMISSIONS
 */
export async function deleteRoom(chat: Chat, by: Caller, roomId: string): Promise<Room> {
  const changed = await commitChange(chat, roomOrderingKey(by.app, roomId), async (session, pending) => {
    const { room, role } = await findActingRole(chat, by, roomId, session)
    requireRole(role, 'owner', 'deleting a room')
    chat.audit?.addDetails({ before: { name: room.name, memberCount: room.memberCount, owner: room.owner } })
    roomChanged(pending, room, { by: userOf(by) })
    await queueRoomToClear(chat.db, room, session)
    return updateRoomDoc(chat.db, room, { status: 0, deletedAt: clock.date() }, session)
  })
  return publishRoom(chat, by, changed)
}
