import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { latestMS } from '@parley/contracts/ids'
import type { OptionalPage } from '@parley/contracts/optional-page'
import type { Ban } from '@parley/contracts/resources/ban'
import type { Session } from '@parley/db/connect'
import { deleteBan, findBan, findBansOfRoom, insertBan } from '@parley/db/rooms/bans'
import { setBlocked } from '@parley/db/rooms/blocked-members'
import type { BanDoc, RoomDoc } from '@parley/db/rooms/documents'
import { lockRoomWithoutFlush } from '@parley/db/rooms/lock-room'
import { findUser, findUsers } from '@parley/db/users/users'
import { type Caller, userOf } from '../access/caller.ts'
import { requireReader } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyFeed } from '../events/event-builders.ts'
import { roomOrderingKey } from '../events/ordering-keys.ts'
import { toBanView } from '../views/ban.ts'

/**
 * Bans a user in a group, by its owner, a platform admin or the API key. A banned user can only read and leave
 * (docs/reference/moderation.md#bans). The ban also applies to a user who joins later.
 * @throws ApiError ROOM_OR_USER_NOT_FOUND, INSUFFICIENT_PERMISSIONS, USER_BLOCKED, USER_ALREADY_BLOCKED,
 * INVALID_REQUEST
 */
export async function banMember(
  chat: Chat,
  by: Caller,
  { room: roomId, blockee, untilMS, isLonger }: BanWanted,
): Promise<Ban> {
  requireFuture(untilMS)
  const { db } = chat
  const { app } = by
  return changeAndNotify(chat, roomOrderingKey(app, roomId), async (session, pending) => {
    // Written, so that this conflicts with concurrent sends and joins.
    const room = await lockRoomWithoutFlush(db, app, roomId, session)
    const user = await findUser(db, app, blockee, session)
    if (!room || room.deletedAt) throw new ApiError('ROOM_OR_USER_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
    if (!user) throw new ApiError('ROOM_OR_USER_NOT_FOUND', `no user ${JSON.stringify(blockee)}`)
    if (room.roomType !== 'group')
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'users cannot be banned in a direct room')
    await requireBanner(chat, by, room, session)
    if (blockee === userOf(by) || blockee === room.owner) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'blockee: must not be the caller or the owner')
    }
    const before = await findBan(db, app, roomId, blockee, session)
    const isReplaced = isLonger && (before?.untilMS ?? Infinity) < (untilMS ?? Infinity)
    if (before && !isReplaced) {
      throw new ApiError('USER_ALREADY_BLOCKED', `blockee: ${JSON.stringify(blockee)} is already banned`)
    }
    const end = untilMS !== undefined && { untilMS }
    const made = await insertBan(db, { app, room: roomId, blockee, blocker: userOf(by) ?? '', ...end }, session)
    await setBlocked(db, { app, room: roomId, user: blockee }, end || true, session)
    const view = toBanView(made, user)
    chat.audit?.addDetails({ ...(before && { before: banInAudit(before) }), after: banInAudit(made) })
    notifyFeed(pending, { app, room: roomId }, 'ban', view)
    return view
  })
}

function banInAudit({ blockee, untilMS }: Pick<BanDoc, 'blockee' | 'untilMS'>): object {
  return { blockee, ...(untilMS !== undefined && { untilMS }) }
}

interface BanWanted {
  room: string
  blockee: string
  untilMS?: number | undefined
  /** Replaces a ban that ends sooner. */
  isLonger?: true
}

/** @throws ApiError INVALID_REQUEST if the end is not in the future */
export function requireFuture(untilMS: number | undefined): void {
  if (untilMS === undefined || (untilMS > clock.now() && untilMS <= latestMS)) return
  throw new ApiError('INVALID_REQUEST', 'untilMS: expected a future time, in Unix milliseconds')
}

/** @throws ApiError INSUFFICIENT_PERMISSIONS; USER_BLOCKED for a platform admin banned there */
async function requireBanner({ db }: Chat, by: Caller, room: RoomDoc, session: Session): Promise<void> {
  if (by.kind === 'integrator' || by.user === room.owner) return
  const { app, user } = by
  if (!(await findUser(db, app, user, session))?.isAdmin) {
    throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the owner of the room and platform admins may ban')
  }
  if (await findBan(db, app, room.id, user, session)) throw new ApiError('USER_BLOCKED')
}

/** Lifts a ban; `updatedAt` is the time of lifting. @throws ApiError INSUFFICIENT_PERMISSIONS, BLOCK_NOT_FOUND */
export async function unbanMember(chat: Chat, by: Caller, roomId: string, blockee: string): Promise<Ban> {
  const { db } = chat
  const { app } = by
  return changeAndNotify(chat, roomOrderingKey(app, roomId), async (session, pending) => {
    const room = await lockRoomWithoutFlush(db, app, roomId, session)
    if (!room || room.deletedAt) throw new ApiError('BLOCK_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
    if (by.kind === 'user' && room.owner !== by.user) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the owner of the room may lift bans')
    }
    const ban = await findBan(db, app, roomId, blockee, session)
    if (!ban) throw new ApiError('BLOCK_NOT_FOUND', `blockee: ${JSON.stringify(blockee)} is not banned in the room`)
    await deleteBan(db, ban, session)
    await setBlocked(db, { app, room: roomId, user: blockee }, false, session)
    const view = toBanView(ban, (await findUser(db, app, blockee, session)) ?? undefined, clock.date())
    chat.audit?.addDetails({ before: banInAudit(ban) })
    notifyFeed(pending, { app, room: roomId }, 'unban', view)
    return view
  })
}

/**
 * The active bans in a room, oldest first, for its members and the integrator.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function listBans(chat: Chat, caller: Caller, roomId: string, page: OptionalPage): Promise<Ban[]> {
  await requireReader(chat, caller, roomId)
  const bans = await findBansOfRoom(chat.db, caller.app, roomId, page)
  const ids = bans.map(({ blockee }) => blockee)
  const users = await findUsers(chat.db, caller.app, ids)
  return bans.map((ban) => toBanView(ban, users.get(ban.blockee)))
}
