import type { Chat } from '@parley/chat/chat'
import { streamText } from '@parley/chat/stream-text'
import { tellTyping } from '@parley/chat/typing'
import * as operations from '@parley/contracts/operations/live'
import type { Mount } from '../mount.ts'

export function mountLive(mount: Mount, chat: Chat): void {
  mount(operations.typing, ({ caller, params, body }) => tellTyping(chat, caller, params.id, body.message))

  mount(operations.streamText, ({ caller, params, body }) =>
    streamText(chat, { app: caller.app, user: body.sender }, params.id, body.text),
  )
}
