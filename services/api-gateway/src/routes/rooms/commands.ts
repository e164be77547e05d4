import type { Chat } from '@parley/chat/chat'
import { listCommands } from '@parley/chat/rooms/list-commands'
import * as operations from '@parley/contracts/operations/rooms/commands'
import type { Mount } from '../../mount.ts'

export function mountCommands(mount: Mount, chat: Chat): void {
  mount(operations.listCommands, ({ caller, params }) => listCommands(chat, caller, params.id))
}
