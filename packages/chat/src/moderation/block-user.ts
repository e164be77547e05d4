import { clock } from '@parley/async/clock'
import { publishPresenceEvent } from '@parley/bus/events/presence-events'
import { ApiError } from '@parley/contracts/errors'
import type { OptionalPage } from '@parley/contracts/optional-page'
import type { Block } from '@parley/contracts/resources/ban'
import type { Session } from '@parley/db/connect'
import { setBlocked } from '@parley/db/rooms/blocked-members'
import { findDirectRoom } from '@parley/db/rooms/direct-rooms'
import { bumpRoomVersions } from '@parley/db/rooms/lock-room'
import { pairKey } from '@parley/db/rooms/pairs'
import { deleteBlock, findBlock, findBlocksOfUser, insertBlock } from '@parley/db/users/blocks'
import { findUser, findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { lockCaller } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyFeed } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { unknownUser } from '../users/user-errors.ts'
import { toBlockView } from '../views/ban.ts'

/**
 * Blocks a user everywhere: their direct messages to the caller are refused, and the caller gets no pushes for their
 * messages (docs/reference/moderation.md#personal-blocks).
 * @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS for the caller themselves, USER_ALREADY_BLOCKED
 */
export async function blockUser(chat: Chat, caller: UserCaller, blockee: string): Promise<Block> {
  const { db } = chat
  const { app, user } = caller
  if (blockee === user) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'blockee: users cannot block themselves')
  const block = await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    // Creating the direct room writes the users too, so of two concurrent calls one sees the other.
    await lockCaller(db, caller, session)
    const found = await findUser(db, app, blockee, session)
    if (!found) throw unknownUser('blockee', blockee)
    if (await findBlock(db, app, user, blockee, session)) {
      throw new ApiError('USER_ALREADY_BLOCKED', `blockee: ${JSON.stringify(blockee)} is already blocked`)
    }
    const made = await insertBlock(db, { app, blocker: user, blockee }, session)
    await setInDirectRoom(chat, caller, blockee, true, session)
    const view = toBlockView(made, found)
    notifyFeed(pending, { app, user }, 'block', view)
    return view
  })
  publishPresenceEvent(chat.bus, caller, 'rights')
  return block
}

/** @throws ApiError BLOCK_NOT_FOUND */
export async function unblockUser(chat: Chat, caller: UserCaller, blockee: string): Promise<Block> {
  const { db } = chat
  const { app, user } = caller
  const lifted = await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    await lockCaller(db, caller, session)
    const block = await findBlock(db, app, user, blockee, session)
    if (!block) throw new ApiError('BLOCK_NOT_FOUND', `blockee: ${JSON.stringify(blockee)} is not blocked`)
    await deleteBlock(db, block, session)
    await setInDirectRoom(chat, caller, blockee, false, session)
    const view = toBlockView(block, (await findUser(db, app, blockee, session)) ?? undefined, clock.date())
    notifyFeed(pending, { app, user }, 'unblock', view)
    return view
  })
  publishPresenceEvent(chat.bus, caller, 'rights')
  return lifted
}

async function setInDirectRoom(
  { db }: Chat,
  { app, user }: UserCaller,
  blockee: string,
  blocked: boolean,
  session: Session,
): Promise<void> {
  const room = await findDirectRoom(db, pairKey(app, user, blockee), session)
  if (room) {
    await setBlocked(db, { app, room: room.id, user: blockee }, blocked, session)
    await bumpRoomVersions(db, [room._id], session)
  }
}

export async function listBlocks(chat: Chat, { app, user }: UserCaller, page: OptionalPage): Promise<Block[]> {
  const blocks = await findBlocksOfUser(chat.db, app, user, page)
  const ids = blocks.map(({ blockee }) => blockee)
  const users = await findUsers(chat.db, app, ids)
  return blocks.map((block) => toBlockView(block, users.get(block.blockee)))
}
