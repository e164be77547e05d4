import type { Chat } from '@parley/chat/chat'
import { listConnections } from '@parley/chat/users/list-connections'
import * as operations from '@parley/contracts/operations/users/connections'
import type { Mount } from '../../mount.ts'

export function mountConnections(mount: Mount, chat: Chat): void {
  mount(operations.listConnections, ({ caller, params }) => listConnections(chat, caller.app, params.client_id))
}
