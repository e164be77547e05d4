import type { Chat } from '@parley/chat/chat'
import { markRead } from '@parley/chat/rooms/unread/mark-read'
import * as operations from '@parley/contracts/operations/rooms/read-markers'
import type { Mount } from '../../mount.ts'

export function mountReadMarkers(mount: Mount, chat: Chat): void {
  mount(operations.markRead, ({ caller, params, body }) => markRead(chat, caller, params.id, body.message))
}
