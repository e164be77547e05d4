import { hasScope } from '@parley/chat/access/keys-of-key'
import type { Chat } from '@parley/chat/chat'
import { getConfig } from '@parley/chat/integrations/get-config'
import { deleteConfigKey, setConfig } from '@parley/chat/integrations/set-config'
import { ApiError } from '@parley/contracts/errors'
import * as operations from '@parley/contracts/operations/integrations/config'
import { tokenIssuersKey } from '@parley/contracts/resources/token-issuer'
import type { Mount } from '../mount.ts'

export function mountConfiguration(mount: Mount, chat: Chat): void {
  mount(operations.setConfig, ({ chat, caller, body }) => {
    // An issuer can create tokens for any user.
    const mayIssue = hasScope(caller.key, 'users:write')
    if (tokenIssuersKey in body && !mayIssue) {
      throw new ApiError('PERMISSION_DENIED', `${tokenIssuersKey}: the API key lacks the scope users:write`)
    }
    return setConfig(chat, caller.app, body, mayIssue)
  })

  mount(operations.deleteConfigKey, ({ chat, caller, params }) => deleteConfigKey(chat, caller.app, params.key))

  mount(operations.getConfig, ({ caller }) =>
    getConfig(chat, caller, caller.kind === 'integrator' && hasScope(caller.key, 'users:write')),
  )
}
