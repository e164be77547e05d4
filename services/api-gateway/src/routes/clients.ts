import type { Chat } from '@parley/chat/chat'
import { listUsers } from '@parley/chat/list-users'
import { saveUser } from '@parley/chat/save-user'
import * as operations from '@parley/contracts/operations/clients'
import type { Mount } from '../mount.ts'

export function mountClients(mount: Mount, chat: Chat): void {
  mount(operations.saveUser, ({ caller, body }) => saveUser(chat, caller.app, body))

  mount(operations.listUsers, ({ caller, query }) => listUsers(chat, caller.app, query))
}
