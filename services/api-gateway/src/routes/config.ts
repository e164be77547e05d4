import type { Chat } from '@parley/chat/chat'
import { deleteConfigKey, getConfig, setConfig } from '@parley/chat/config'
import * as operations from '@parley/contracts/operations/config'
import { actor } from '../authenticate.ts'
import type { Mount } from '../mount.ts'

export function mountConfig(mount: Mount, chat: Chat): void {
  mount(operations.setConfig, ({ caller, body }) => setConfig(chat, caller.app, body))

  mount(operations.getConfig, ({ caller }) => getConfig(chat, actor(caller).app))

  mount(operations.deleteConfigKey, ({ caller, params }) => deleteConfigKey(chat, caller.app, params.key))
}
