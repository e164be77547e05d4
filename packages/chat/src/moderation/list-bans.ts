import type { OptionalPage } from '@parley/contracts/optional-page'
import type { Ban } from '@parley/contracts/resources/ban'
import { findBansOfRoom } from '@parley/db/rooms/bans'
import { findUsers } from '@parley/db/users/users'
import type { Caller } from '../access/caller.ts'
import { requireReader } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { toBanView } from '../views/ban.ts'

/**
 * The active bans in a room, oldest first, for its members and the integrator.
 * @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER
 */
export async function listBans(chat: Chat, caller: Caller, roomId: string, page: OptionalPage): Promise<Ban[]> {
  await requireReader(chat, caller, roomId)
  const bans = await findBansOfRoom(chat.db, caller.app, roomId, page)
  const users = await findUsers(
    chat.db,
    caller.app,
    bans.map(({ blockee }) => blockee),
  )
  return bans.map((ban) => toBanView(ban, users.get(ban.blockee)))
}
