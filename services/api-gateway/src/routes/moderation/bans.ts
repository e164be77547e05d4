import type { Chat } from '@parley/chat/chat'
import { banMember, unbanMember } from '@parley/chat/moderation/ban-member'
import { listBans } from '@parley/chat/moderation/list-bans'
import * as operations from '@parley/contracts/operations/moderation/bans'
import type { Mount } from '../../mount.ts'

export function mountBans(mount: Mount, chat: Chat): void {
  mount(operations.banMember, ({ caller, params, body }) =>
    banMember(chat, caller, { room: params.roomID, blockee: params.blockee, untilMS: body.untilMS }),
  )

  mount(operations.unbanMember, ({ caller, params }) => unbanMember(chat, caller, params.roomID, params.blockee))

  mount(operations.listBans, ({ caller, params, query }) => listBans(chat, caller, params.roomID, query))
}
