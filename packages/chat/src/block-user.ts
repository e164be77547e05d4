import { ApiError } from '@parley/contracts/errors'
import type { Block } from '@parley/contracts/resources/ban'
import { deleteBlock, findBlock, findBlocksOfUser, insertBlock } from '@parley/db/blocks'
import { setBlocked } from '@parley/db/memberships'
import { findDirectRoom, pairKey } from '@parley/db/rooms'
import { inTransaction, type Session } from '@parley/db/transaction'
import { findUser, findUsers, noteBlocksChange } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { showBlock } from './show-ban.ts'

type Caller = Pick<UserCaller, 'app' | 'user'>

/**
 * Blocks a user everywhere: his direct messages to the caller are refused, and pushes of what he writes are left out
 * (decisions.md, "Rooms and members").
 * @throws ApiError CLIENT_NOT_FOUND, INSUFFICIENT_PERMISSIONS for oneself, USER_ALREADY_BLOCKED
 */
export async function blockUser(chat: Chat, { app, user }: Caller, blockee: string): Promise<Block> {
  const { db } = chat
  if (blockee === user) throw new ApiError('INSUFFICIENT_PERMISSIONS', 'blockee: nobody blocks himself')
  return inTransaction(db, async (session) => {
    const found = await findUser(db, app, blockee, session)
    if (!found) throw new ApiError('CLIENT_NOT_FOUND', `blockee: no user ${JSON.stringify(blockee)}`)
    if (await findBlock(db, app, user, blockee, session)) {
      throw new ApiError('USER_ALREADY_BLOCKED', `blockee: ${JSON.stringify(blockee)} is blocked already`)
    }
    const block = await insertBlock(db, { app, blocker: user, blockee }, session)
    await setInDirectRoom(chat, { app, user }, blockee, true, session)
    return showBlock(block, found)
  })
}

/** @throws ApiError BLOCK_NOT_FOUND */
export async function unblockUser(chat: Chat, { app, user }: Caller, blockee: string): Promise<Block> {
  const { db } = chat
  return inTransaction(db, async (session) => {
    const block = await findBlock(db, app, user, blockee, session)
    if (!block) throw new ApiError('BLOCK_NOT_FOUND', `blockee: ${JSON.stringify(blockee)} is not blocked`)
    await deleteBlock(db, block, session)
    await setInDirectRoom(chat, { app, user }, blockee, false, session)
    return showBlock(block, (await findUser(db, app, blockee, session)) ?? undefined, new Date())
  })
}

/** Whom the caller blocks, the longest blocked first. */
export async function listBlocks(chat: Chat, { app, user }: Caller): Promise<Block[]> {
  const blocks = await findBlocksOfUser(chat.db, app, user)
  const users = await findUsers(
    chat.db,
    app,
    blocks.map(({ blockee }) => blockee),
  )
  return blocks.map((block) => showBlock(block, users.get(block.blockee)))
}

async function setInDirectRoom(
  { db }: Chat,
  { app, user }: Caller,
  blockee: string,
  blocked: boolean,
  session: Session,
): Promise<void> {
  const room = await findDirectRoom(db, pairKey(app, user, blockee), session)
  if (room) await setBlocked(db, { app, room: room.id, user: blockee }, blocked, session)
  // Who creates the direct room at the same time writes the users too: one of the two sees the other.
  else await noteBlocksChange(db, app, user, session)
}
