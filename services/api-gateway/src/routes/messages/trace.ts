import type { Chat } from '@parley/chat/chat'
import { traceMessage } from '@parley/chat/messages/reading/trace-message'
import * as operations from '@parley/contracts/operations/messages/trace'
import type { Mount } from '../../mount.ts'

export function mountTrace(mount: Mount, chat: Chat): void {
  mount(operations.traceMessage, ({ caller, params }) => traceMessage(chat, caller.app, params.id))
}
