import { addKey, endKey, listKeys } from '@parley/chat/access/manage-keys'
import type { Chat } from '@parley/chat/chat'
import * as operations from '@parley/contracts/operations/access/keys'
import type { Mount } from '../mount.ts'

export function mountApiKeys(mount: Mount, chat: Chat): void {
  mount(operations.addKey, ({ chat, caller, body }) => addKey(chat, caller, body))

  mount(operations.listKeys, ({ caller, query }) => listKeys(chat, caller.app, query.ended === 'true'))

  mount(operations.revokeKey, ({ chat, caller, params }) => endKey(chat, caller.app, params.id))
}
