import type { Chat } from '@parley/chat/chat'
import type { Presence } from '@parley/chat/integrations/stats-report'
import {
  listFailedWebhooks,
  listWebhookCalls,
  readWebhookCall,
  retryFailedWebhook,
  retryWebhookCall,
  retryWebhookCalls,
} from '@parley/chat/integrations/webhook-calls'
import {
  closeWebhookReceiver,
  openWebhookReceiver,
  readWebhookReceiver,
} from '@parley/chat/integrations/webhook-receivers'
import * as receivers from '@parley/contracts/operations/integrations/webhook-receivers'
import * as operations from '@parley/contracts/operations/integrations/webhooks'
import type { Mount } from '../mount.ts'

export function mountWebhooks(mount: Mount, chat: Chat, presence: Presence): void {
  mount(operations.listFailedWebhooks, ({ caller, query }) => listFailedWebhooks(chat, caller.app, query))
  mount(operations.retryFailedWebhook, ({ chat, caller, params }) => retryFailedWebhook(chat, caller.app, params.id))
  mount(operations.listWebhookCalls, ({ caller, query }) => listWebhookCalls(chat, caller, query))
  mount(operations.readWebhookCall, ({ caller, params }) => readWebhookCall(chat, caller.app, params.id))
  mount(operations.retryWebhookCall, ({ chat, caller, params }) => retryWebhookCall(chat, caller.app, params.id))
  mount(operations.retryWebhookCalls, ({ chat, caller, body }) => retryWebhookCalls(chat, caller.app, body))

  mount(receivers.openWebhookReceiver, ({ chat, caller, body }) =>
    openWebhookReceiver(chat, presence, caller.app, body),
  )

  mount(receivers.readWebhookReceiver, ({ caller, params }) => readWebhookReceiver(presence, caller.app, params.id))

  mount(receivers.closeWebhookReceiver, ({ chat, caller, params }) =>
    closeWebhookReceiver(chat, presence, caller.app, params.id),
  )
}
