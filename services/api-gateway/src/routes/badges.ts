import type { Chat } from '@parley/chat/chat'
import { totalUnread, unreadByTags } from '@parley/chat/unread'
import * as operations from '@parley/contracts/operations/badges'
import type { Mount } from '../mount.ts'

export function mountBadges(mount: Mount, chat: Chat): void {
  mount(operations.getBadge, async ({ caller }) => ({ badge: await totalUnread(chat, caller) }))

  mount(operations.getBadgesByRoomTags, ({ caller, body }) => unreadByTags(chat, caller, body.tags))
}
