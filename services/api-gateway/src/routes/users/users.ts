import type { Chat } from '@parley/chat/chat'
import { eraseUser } from '@parley/chat/users/erase-user'
import { listUsers } from '@parley/chat/users/list-users'
import { saveUser } from '@parley/chat/users/save-user'
import { saveUsers } from '@parley/chat/users/save-users'
import * as operations from '@parley/contracts/operations/users/users'
import type { Mount } from '../../mount.ts'

export function mountUsers(mount: Mount, chat: Chat): void {
  mount(operations.saveUser, async ({ caller, body }) => {
    const saved = await saveUser(chat, caller.app, body)
    return saved.kind === 'user' ? saved.user : { bare: saved.assigned }
  })

  mount(operations.listUsers, ({ caller, query }) => listUsers(chat, caller.app, query))

  mount(operations.saveUsers, ({ caller, body }) => saveUsers(chat, caller.app, body.data))

  mount(operations.eraseUser, ({ caller, params }) => eraseUser(chat, caller.app, params.client_id))
}
