import type { Chat } from '@parley/chat/chat'
import { searchMessages } from '@parley/chat/search-messages'
import { search } from '@parley/contracts/operations/search'
import type { Mount } from '../mount.ts'

export function mountSearch(mount: Mount, chat: Chat): void {
  mount(search, ({ caller, body }) => searchMessages(chat, caller, body))
}
