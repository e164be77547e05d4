import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { isRoomMention } from './mentions.ts'
import { findAppNotifications } from './notification-settings.ts'

/**
 * Refuses `@room` and `@here` from members who may not mention a whole group
 * (docs/reference/push.md#mentions-of-the-room). Reads nothing for messages without them.
 * @param known the room, if it has been read
 * @throws ApiError INSUFFICIENT_PERMISSIONS
 */
export async function requireRoomMention(
  db: Db,
  { app, user }: Pick<UserCaller, 'app' | 'user'>,
  mentions: readonly string[] | undefined,
  known: string | Pick<RoomDoc, 'roomType' | 'owner' | 'managers'>,
): Promise<void> {
  if (!mentions?.some(isRoomMention)) return
  const room = typeof known === 'string' ? await findRoom(db, app, known) : known
  // If the room is gone, the send itself is refused.
  if (!room || room.roomType === 'direct' || room.owner === user || room.managers.includes(user)) return
  if ((await findAppNotifications(db, app)).roomMentions === 'members') return
  if ((await findUser(db, app, user))?.isAdmin) return
  throw new ApiError(
    'INSUFFICIENT_PERMISSIONS',
    'mentions: only the owner and managers of the room may use @room and @here',
  )
}
