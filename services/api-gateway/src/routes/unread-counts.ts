import type { Chat } from '@parley/chat/chat'
import { explainBadge } from '@parley/chat/rooms/badges'
import { totalUnread, unreadByTags } from '@parley/chat/rooms/unread-counts'
import * as operations from '@parley/contracts/operations/rooms/unread'
import type { Mount } from '../mount.ts'

export function mountUnreadCounts(mount: Mount, chat: Chat): void {
  mount(operations.getBadge, async ({ caller }) => ({ badge: await totalUnread(chat, caller) }))
  mount(operations.explainBadge, ({ caller, params, query }) => explainBadge(chat, caller.app, params.client_id, query))
  mount(operations.getBadgesByRoomTags, ({ caller, body }) => unreadByTags(chat, caller, body.tags))
}
