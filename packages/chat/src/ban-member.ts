import { ApiError } from '@parley/contracts/errors'
import type { Ban } from '@parley/contracts/resources/ban'
import { deleteBan, findBan, findBansOfRoom, insertBan } from '@parley/db/bans'
import { setBlocked } from '@parley/db/memberships'
import { findRoom, takeRoomTime } from '@parley/db/rooms'
import { inTransaction } from '@parley/db/transaction'
import { findUser, findUsers } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { requireMember } from './require-member.ts'
import { showBan } from './show-ban.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>

/**
 * Bans a user in a group room that has an owner, by him or a platform admin: from then on the banned one reads there
 * and can do nothing else (interface.md, "Moderation"). Who is no member is banned for when he comes.
 * @throws ApiError ROOM_OR_USER_NOT_FOUND, INSUFFICIENT_PERMISSIONS, USER_ALREADY_BLOCKED
 */
export async function banMember(chat: Chat, caller: Caller, roomId: string, blockee: string): Promise<Ban> {
  const { db } = chat
  const { app, user: blocker } = caller
  return inTransaction(db, async (session) => {
    const room = await findRoom(db, app, roomId, session)
    const user = await findUser(db, app, blockee, session)
    if (!room || room.deletedAt) throw new ApiError('ROOM_OR_USER_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
    if (!user) throw new ApiError('ROOM_OR_USER_NOT_FOUND', `no user ${JSON.stringify(blockee)}`)
    if (room.roomType !== 'group') throw new ApiError('INSUFFICIENT_PERMISSIONS', 'nobody is banned in a direct room')
    // Only the owner lifts bans: without one a ban would be for ever.
    if (room.owner === undefined) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'roomID: the room has no owner')
    if (room.owner !== blocker && !(await findUser(db, app, blocker, session))?.isAdmin) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the owner of the room and platform admins ban')
    }
    if (blockee === blocker || blockee === room.owner) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'blockee: neither oneself nor the owner can be banned')
    }
    if (await findBan(db, app, roomId, blockee, session)) {
      throw new ApiError('USER_ALREADY_BLOCKED', `blockee: ${JSON.stringify(blockee)} is banned already`)
    }
    const ban = await insertBan(db, { app, room: roomId, blockee, blocker }, session)
    await setBlocked(db, { app, room: roomId, user: blockee }, true, session)
    // Writes the room, so that it conflicts with who sends or joins at the same time.
    await takeRoomTime(db, room, session)
    return showBan(ban, user)
  })
}

/**
 * Lifts a ban, by the owner of the room; answers it with the time of lifting as `updatedAt`.
 * @throws ApiError INSUFFICIENT_PERMISSIONS, BLOCK_NOT_FOUND
 */
export async function unbanMember(chat: Chat, caller: Caller, roomId: string, blockee: string): Promise<Ban> {
  const { db } = chat
  const { app, user } = caller
  return inTransaction(db, async (session) => {
    const room = await findRoom(db, app, roomId, session)
    if (!room || room.deletedAt) throw new ApiError('BLOCK_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
    if (room.owner !== user) {
      throw new ApiError('INSUFFICIENT_PERMISSIONS', 'only the owner of the room lifts bans')
    }
    const ban = await findBan(db, app, roomId, blockee, session)
    if (!ban) throw new ApiError('BLOCK_NOT_FOUND', `blockee: ${JSON.stringify(blockee)} is not banned in the room`)
    await deleteBan(db, ban, session)
    await setBlocked(db, { app, room: roomId, user: blockee }, false, session)
    await takeRoomTime(db, room, session)
    return showBan(ban, (await findUser(db, app, blockee, session)) ?? undefined, new Date())
  })
}

/**
 * The bans in force in a room, for its members.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function listBans(chat: Chat, caller: Caller, roomId: string): Promise<Ban[]> {
  await requireMember(chat, caller, roomId)
  const bans = await findBansOfRoom(chat.db, caller.app, roomId)
  const users = await findUsers(
    chat.db,
    caller.app,
    bans.map(({ blockee }) => blockee),
  )
  return bans.map((ban) => showBan(ban, users.get(ban.blockee)))
}
