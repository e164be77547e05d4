import type { Chat } from '@parley/chat/chat'
import { banUser, unbanUser } from '@parley/chat/moderation/ban-user'
import * as operations from '@parley/contracts/operations/moderation/app-bans'
import type { Mount } from '../../mount.ts'

export function mountAppBans(mount: Mount, chat: Chat): void {
  mount(operations.banUser, ({ caller, params, body }) => banUser(chat, caller.app, params.client_id, body.untilMS))

  mount(operations.unbanUser, ({ caller, params }) => unbanUser(chat, caller.app, params.client_id))
}
