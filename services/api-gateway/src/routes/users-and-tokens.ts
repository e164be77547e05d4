import { bindToken, endToken, listMyTokens, listTokens, renewToken, revokeTokens } from '@parley/chat/access/tokens'
import type { Chat } from '@parley/chat/chat'
import { eraseUser } from '@parley/chat/users/erase-user'
import { listConnections } from '@parley/chat/users/list-connections'
import { listUsers } from '@parley/chat/users/list-users'
import { getMe } from '@parley/chat/users/me'
import { saveUser } from '@parley/chat/users/save-user'
import { saveUsers } from '@parley/chat/users/save-users'
import { searchUsers } from '@parley/chat/users/search-users'
import * as tokens from '@parley/contracts/operations/access/tokens'
import * as connections from '@parley/contracts/operations/users/connections'
import * as directory from '@parley/contracts/operations/users/directory'
import * as me from '@parley/contracts/operations/users/me'
import * as users from '@parley/contracts/operations/users/users'
import type { Mount } from '../mount.ts'

export function mountUsersAndTokens(mount: Mount, chat: Chat): void {
  mount(tokens.revokeTokens, ({ chat, caller, params, body }) => revokeTokens(chat, caller.app, params.client_id, body))
  mount(tokens.bindToken, ({ chat, caller, params, body }) => bindToken(chat, caller.app, params.client_id, body))
  mount(tokens.renewToken, ({ caller }) => renewToken(chat, caller))
  mount(tokens.listTokens, ({ caller, params }) => listTokens(chat, caller.app, params.client_id))

  mount(tokens.endToken, ({ chat, caller, params }) =>
    endToken(chat, { app: caller.app, user: params.client_id }, params.id),
  )

  mount(tokens.listMyTokens, ({ caller }) => listMyTokens(chat, caller))
  mount(tokens.endMyToken, ({ caller, params }) => endToken(chat, caller, params.id))

  mount(users.saveUser, async ({ chat, caller, body }) => {
    const saved = await saveUser(chat, caller.app, body)
    return saved.kind === 'user' ? saved.user : { bare: saved.assigned }
  })

  mount(users.listUsers, ({ caller, query }) => listUsers(chat, caller.app, query))
  mount(users.saveUsers, ({ chat, caller, body }) => saveUsers(chat, caller.app, body.data))

  mount(users.eraseUser, ({ chat, caller, params, query }) =>
    eraseUser(chat, caller.app, params.client_id, query.content),
  )

  mount(directory.searchUsers, ({ caller, query }) => searchUsers(chat, caller, query))
  mount(me.getMe, ({ caller }) => getMe(chat, caller))
  mount(connections.listConnections, ({ caller, params }) => listConnections(chat, caller.app, params.client_id))
}
