import type { Chat } from '@parley/chat/chat'
import { listFailedWebhooks, retryFailedWebhook } from '@parley/chat/failed-webhooks'
import { pushToClients } from '@parley/chat/push-to-clients'
import * as operations from '@parley/contracts/operations/push'
import type { Mount } from '../mount.ts'

export function mountPush(mount: Mount, chat: Chat): void {
  mount(operations.pushToClients, async ({ caller, body, request }) => {
    await pushToClients(chat, caller.app, body.clients, body.payload, request)
    return {}
  })

  mount(operations.listFailedWebhooks, ({ caller, query }) => listFailedWebhooks(chat, caller.app, query))

  mount(operations.retryFailedWebhook, ({ caller, params }) => retryFailedWebhook(chat, caller.app, params.id))
}
