import type { Chat } from '@parley/chat/chat'
import { listFailedWebhooks } from '@parley/chat/integrations/list-failed-webhooks'
import { listWebhookCalls } from '@parley/chat/integrations/list-webhook-calls'
import { retryFailedWebhook } from '@parley/chat/integrations/retry-failed-webhook'
import { retryWebhookCall, retryWebhookCalls } from '@parley/chat/integrations/retry-webhook-calls'
import * as operations from '@parley/contracts/operations/integrations/webhooks'
import type { Mount } from '../mount.ts'

export function mountWebhooks(mount: Mount, chat: Chat): void {
  mount(operations.listFailedWebhooks, ({ caller, query }) => listFailedWebhooks(chat, caller.app, query))

  mount(operations.retryFailedWebhook, ({ chat, caller, params }) => retryFailedWebhook(chat, caller.app, params.id))

  mount(operations.listWebhookCalls, ({ caller, query }) => listWebhookCalls(chat, caller.app, query))

  mount(operations.retryWebhookCall, ({ chat, caller, params }) => retryWebhookCall(chat, caller.app, params.id))

  mount(operations.retryWebhookCalls, ({ chat, caller, body }) => retryWebhookCalls(chat, caller.app, body))
}
