import type { Chat } from '@parley/chat/chat'
import { deleteGroup, listGroups, saveGroup } from '@parley/chat/users/groups'
import * as operations from '@parley/contracts/operations/users/groups'
import type { Mount } from '../mount.ts'

export function mountGroups(mount: Mount, chat: Chat): void {
  mount(operations.listGroups, ({ caller, query }) => listGroups(chat, caller.app, query))
  mount(operations.saveGroup, ({ chat, caller, body }) => saveGroup(chat, caller.app, body))
  mount(operations.deleteGroup, ({ chat, caller, params }) => deleteGroup(chat, caller.app, params.id))
}
