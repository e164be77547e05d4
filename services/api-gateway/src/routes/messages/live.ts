import { asUser } from '@parley/chat/access/caller'
import type { Chat } from '@parley/chat/chat'
import { streamText } from '@parley/chat/messages/streaming/stream-text'
import { notifyTyping } from '@parley/chat/messages/typing'
import * as operations from '@parley/contracts/operations/messages/live'
import type { Mount } from '../../mount.ts'

export function mountLive(mount: Mount, chat: Chat): void {
  mount(operations.typing, ({ caller, params, body }) => notifyTyping(chat, caller, params.id, body.message))

  mount(operations.streamText, ({ caller, params, body }) =>
    streamText(chat, asUser(caller.app, body.sender), params.id, body.text),
  )
}
