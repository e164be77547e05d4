import type { Chat } from '@parley/chat/chat'
import { eraseUser } from '@parley/chat/erase-user'
import { listUsers } from '@parley/chat/list-users'
import { saveUser } from '@parley/chat/save-user'
import { saveUsers } from '@parley/chat/save-users'
import * as operations from '@parley/contracts/operations/clients'
import type { Mount } from '../mount.ts'

export function mountClients(mount: Mount, chat: Chat): void {
  mount(operations.saveUser, ({ caller, body }) => saveUser(chat, caller.app, body))

  mount(operations.saveUsers, ({ caller, body }) => saveUsers(chat, caller.app, body.data))

  mount(operations.eraseUser, ({ caller, params }) => eraseUser(chat, caller.app, params.client_id))

  mount(operations.listUsers, ({ caller, query }) => listUsers(chat, caller.app, query))
}
