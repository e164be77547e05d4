import { hasScope } from '@parley/chat/access/api-keys'
import type { Chat } from '@parley/chat/chat'
import { getConfig } from '@parley/chat/integrations/get-config'
import { deleteConfigKey, setConfig } from '@parley/chat/integrations/set-config'
import * as operations from '@parley/contracts/operations/integrations/config'
import type { Mount } from '../mount.ts'

export function mountConfiguration(mount: Mount, chat: Chat): void {
  mount(operations.setConfig, ({ chat, caller, body }) =>
    setConfig(chat, caller.app, body, hasScope(caller.key, 'users:write')),
  )

  mount(operations.deleteConfigKey, ({ chat, caller, params }) => deleteConfigKey(chat, caller.app, params.key))

  mount(operations.getConfig, ({ caller }) =>
    getConfig(chat, caller, caller.kind === 'integrator' && hasScope(caller.key, 'users:write')),
  )
}
