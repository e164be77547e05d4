import { bindToken } from '@parley/chat/bind-token'
import type { Chat } from '@parley/chat/chat'
import { renewToken } from '@parley/chat/renew-token'
import { revokeTokens } from '@parley/chat/revoke-tokens'
import * as operations from '@parley/contracts/operations/tokens'
import type { Mount } from '../mount.ts'

export function mountTokens(mount: Mount, chat: Chat): void {
  mount(operations.revokeTokens, ({ caller, params, body }) =>
    revokeTokens(chat, caller.app, params.client_id, body.token),
  )

  mount(operations.bindToken, ({ caller, params, body }) => bindToken(chat, caller.app, params.client_id, body))

  mount(operations.renewToken, ({ caller }) => renewToken(chat, caller))
}
