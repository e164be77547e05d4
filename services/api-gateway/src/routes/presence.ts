import type { Chat } from '@parley/chat/chat'
import type { Presence } from '@parley/chat/integrations/stats-report'
import { readPresence } from '@parley/chat/users/read-presence'
import * as operations from '@parley/contracts/operations/users/presence'
import type { Mount } from '../mount.ts'

export function mountPresence(mount: Mount, chat: Chat, presence: Presence): void {
  mount(operations.getPresence, ({ caller, query }) => readPresence(chat, presence, caller, [query.clients].flat()))
}
