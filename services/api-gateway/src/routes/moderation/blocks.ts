import type { Chat } from '@parley/chat/chat'
import { blockUser, unblockUser } from '@parley/chat/moderation/block-user'
import { listBlocks } from '@parley/chat/moderation/list-blocks'
import * as operations from '@parley/contracts/operations/moderation/blocks'
import type { Mount } from '../../mount.ts'

export function mountBlocks(mount: Mount, chat: Chat): void {
  mount(operations.blockUser, ({ caller, params }) => blockUser(chat, caller, params.blockee))

  mount(operations.unblockUser, ({ caller, params }) => unblockUser(chat, caller, params.blockee))

  mount(operations.listBlocks, ({ caller, query }) => listBlocks(chat, caller, query))
}
