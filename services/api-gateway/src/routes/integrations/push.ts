import type { Chat } from '@parley/chat/chat'
import { pushToClients } from '@parley/chat/integrations/push-to-clients'
import { whyPush } from '@parley/chat/integrations/why-push'
import * as operations from '@parley/contracts/operations/integrations/push'
import type { Mount } from '../../mount.ts'

export function mountPush(mount: Mount, chat: Chat): void {
  mount(operations.pushToClients, async ({ caller, body, request }) => {
    await pushToClients(chat, caller.app, body.clients, body.payload, request)
    return {}
  })

  mount(operations.whyPush, ({ caller, query }) => whyPush(chat, caller.app, query.message, query.client))
}
