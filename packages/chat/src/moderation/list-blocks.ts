import type { OptionalPage } from '@parley/contracts/optional-page'
import type { Block } from '@parley/contracts/resources/ban'
import { findBlocksOfUser } from '@parley/db/users/blocks'
import { findUsers } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import type { Chat } from '../chat.ts'
import { toBlockView } from '../views/ban.ts'

/** The users blocked by the caller, the longest blocked first. */
export async function listBlocks(chat: Chat, { app, user }: UserCaller, page: OptionalPage): Promise<Block[]> {
  const blocks = await findBlocksOfUser(chat.db, app, user, page)
  const users = await findUsers(
    chat.db,
    app,
    blocks.map(({ blockee }) => blockee),
  )
  return blocks.map((block) => toBlockView(block, users.get(block.blockee)))
}
