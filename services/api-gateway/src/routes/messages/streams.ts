import type { Chat } from '@parley/chat/chat'
import { endStream } from '@parley/chat/messages/streaming/end-stream'
import { appendStream, openStream } from '@parley/chat/messages/streaming/stream-message'
import * as operations from '@parley/contracts/operations/messages/streams'
import type { Mount } from '../../mount.ts'

export function mountStreams(mount: Mount, chat: Chat): void {
  mount(operations.openStream, ({ caller, body, request }) => openStream(chat, caller, body, request))

  mount(operations.appendStream, ({ caller, params, body }) => appendStream(chat, caller, params.id, body))

  mount(operations.endStream, ({ caller, params, body }) => endStream(chat, caller, params.id, body.message))
}
