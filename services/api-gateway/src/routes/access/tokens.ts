import { bindToken } from '@parley/chat/access/bind-token'
import { renewToken } from '@parley/chat/access/renew-token'
import { revokeTokens } from '@parley/chat/access/revoke-tokens'
import type { Chat } from '@parley/chat/chat'
import * as operations from '@parley/contracts/operations/access/tokens'
import type { Mount } from '../../mount.ts'

export function mountTokens(mount: Mount, chat: Chat): void {
  mount(operations.revokeTokens, ({ caller, params, body }) =>
    revokeTokens(chat, caller.app, params.client_id, body.token),
  )

  mount(operations.bindToken, ({ caller, params, body }) => bindToken(chat, caller.app, params.client_id, body))

  mount(operations.renewToken, ({ caller }) => renewToken(chat, caller))
}
