import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { isRoomMention } from './mentions.ts'
import { findAppNotifications } from './notification-settings.ts'

type MentionedRoom = Pick<RoomDoc, 'roomType' | 'owner' | 'managers'>

/**
 * Refuses `@room` and `@here` of members who may not mention all of a group (docs/reference/push.md#mentions-of-the-room). Reads
 * nothing for messages without either.
 * @param known the room, where it has been read
 * @throws ApiError INSUFFICIENT_PERMISSIONS
 */
export async function requireRoomMention(
  db: Db,
  { app, user }: Pick<UserCaller, 'app' | 'user'>,
  mentions: readonly string[] | undefined,
  known: string | MentionedRoom,
): Promise<void> {
  if (!mentions?.some(isRoomMention)) return
  const room = typeof known === 'string' ? await findRoom(db, app, known) : known
  // A send to a room that is gone is refused for that.
  if (!room || room.roomType === 'direct' || room.owner === user || room.managers.includes(user)) return
  if ((await findAppNotifications(db, app)).roomMentions === 'members') return
  if ((await findUser(db, app, user))?.isAdmin) return
  throw new ApiError('INSUFFICIENT_PERMISSIONS', 'mentions: @room and @here only by the owner and managers of the room')
}
