import { banMember, listBans, unbanMember } from '@parley/chat/ban-member'
import { blockUser, listBlocks, unblockUser } from '@parley/chat/block-user'
import type { Chat } from '@parley/chat/chat'
import * as operations from '@parley/contracts/operations/bans'
import type { Mount } from '../mount.ts'

export function mountBans(mount: Mount, chat: Chat): void {
  mount(operations.banMember, ({ caller, params }) => banMember(chat, caller, params.roomID, params.blockee))

  mount(operations.unbanMember, ({ caller, params }) => unbanMember(chat, caller, params.roomID, params.blockee))

  mount(operations.listBans, ({ caller, params }) => listBans(chat, caller, params.roomID))

  mount(operations.blockUser, ({ caller, params }) => blockUser(chat, caller, params.blockee))

  mount(operations.unblockUser, ({ caller, params }) => unblockUser(chat, caller, params.blockee))

  mount(operations.listBlocks, ({ caller }) => listBlocks(chat, caller))
}
