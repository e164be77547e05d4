import type { Chat } from '@parley/chat/chat'
import { listReaders } from '@parley/chat/messages/reading/list-readers'
import * as operations from '@parley/contracts/operations/messages/readers'
import type { Mount } from '../../mount.ts'

export function mountReaders(mount: Mount, chat: Chat): void {
  mount(operations.listReaders, ({ caller, params }) => listReaders(chat, caller, params.id))
}
