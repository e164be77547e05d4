import type { Chat } from '@parley/chat/chat'
import { roomHistory } from '@parley/chat/room-history'
import { sendMessage } from '@parley/chat/send-message'
import * as operations from '@parley/contracts/operations/messages'
import type { Mount } from '../mount.ts'

export function mountMessages(mount: Mount, chat: Chat): void {
  mount(operations.listMessages, ({ caller, params, query }) => roomHistory(chat, caller, params.id, query))

  mount(operations.sendMessage, ({ caller, body, headers, request }) =>
    sendMessage(chat, { ...body, app: caller.app, idempotencyKey: headers['idempotency-key'], request }),
  )
}
