import type { Chat } from '@parley/chat/chat'
import { listThread } from '@parley/chat/threads/list-thread'
import { listThreads } from '@parley/chat/threads/list-threads'
import { markThreadRead } from '@parley/chat/threads/mark-thread-read'
import * as operations from '@parley/contracts/operations/messages/threads'
import type { Mount } from '../../mount.ts'

export function mountThreads(mount: Mount, chat: Chat): void {
  mount(operations.listThread, ({ caller, params, query }) => listThread(chat, caller, params.id, query))
  mount(operations.listThreads, ({ caller, query }) => listThreads(chat, caller, query))
  mount(operations.markThreadRead, ({ caller, params, body, device }) =>
    markThreadRead(chat, caller, params.id, body.message, device),
  )
}
