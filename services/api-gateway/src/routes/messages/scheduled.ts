import type { Chat } from '@parley/chat/chat'
import { cancelScheduled, changeScheduled } from '@parley/chat/messages/sending/change-scheduled'
import { listScheduled } from '@parley/chat/messages/sending/list-scheduled'
import { scheduleMessage } from '@parley/chat/messages/sending/schedule-message'
import * as operations from '@parley/contracts/operations/messages/scheduled'
import type { Mount } from '../../mount.ts'

export function mountScheduled(mount: Mount, chat: Chat): void {
  mount(operations.scheduleMessage, ({ caller, body }) => scheduleMessage(chat, caller, body))

  mount(operations.listScheduled, ({ caller, query }) => listScheduled(chat, caller, query))

  mount(operations.changeScheduled, ({ caller, params, body }) => changeScheduled(chat, caller, params.id, body))

  mount(operations.cancelScheduled, ({ caller, params }) => cancelScheduled(chat, caller, params.id))
}
