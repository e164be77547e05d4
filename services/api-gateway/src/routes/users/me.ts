import type { Chat } from '@parley/chat/chat'
import { getMe } from '@parley/chat/users/get-me'
import * as operations from '@parley/contracts/operations/users/me'
import type { Mount } from '../../mount.ts'

export function mountMe(mount: Mount, chat: Chat): void {
  mount(operations.getMe, ({ caller }) => getMe(chat, caller))
}
