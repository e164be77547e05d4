import { totalUnreadOf } from '@parley/db/unread/total-unread'
import type { UserCaller } from '../../access/caller.ts'
import type { Chat } from '../../chat.ts'

/**
 * The caller's total unread messages over all rooms (docs/reference/unread.md#badges). Counts no messages: of each
 * membership and room, it reads the numbers alone.
 */
export async function totalUnread(chat: Chat, { app, user }: UserCaller): Promise<number> {
  return (await totalUnreadOf(chat.db, app, [user])).get(user) ?? 0
}
