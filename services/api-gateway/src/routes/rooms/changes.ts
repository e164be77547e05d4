import type { Chat } from '@parley/chat/chat'
import { changesSince } from '@parley/chat/rooms/changes-since'
import * as operations from '@parley/contracts/operations/rooms/changes'
import type { Mount } from '../../mount.ts'

export function mountChanges(mount: Mount, chat: Chat): void {
  mount(operations.getChanges, ({ caller, query }) => changesSince(chat, caller, query))
}
