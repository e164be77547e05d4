import type { Chat } from '@parley/chat/chat'
import { searchMessages } from '@parley/chat/search/search-messages'
import * as operations from '@parley/contracts/operations/search/search'
import type { Mount } from '../../mount.ts'

export function mountSearch(mount: Mount, chat: Chat): void {
  mount(operations.search, ({ caller, body }) => searchMessages(chat, caller, body))
}
