import { ApiError } from '@parley/contracts/errors'
import { hereMention, type Mention, roomMention } from '@parley/contracts/resources/push/decide-notification'
import type { Db } from '@parley/db/connect'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { findRoom } from '@parley/db/rooms/rooms'
import { expandGroups } from '@parley/db/users/groups'
import { findUser } from '@parley/db/users/users'
import type { UserCaller } from '../access/caller.ts'
import { findAppNotifications } from './notification-settings.ts'

/** The mentions of a message (docs/reference/push.md#mentions-of-the-room). */
export interface Mentions {
  /** Users mentioned by name or through a group. */
  named: ReadonlySet<string>
  /** Whether all members are mentioned, or only connected ones. */
  all?: 'room' | 'here'
}

/** The mentions of a message, with groups expanded to their members. */
export async function findMentions(db: Db, app: string, mentions: readonly string[] = []): Promise<Mentions> {
  const ids = mentions.filter((id) => !isRoomMention(id))
  const named = await expandGroups(db, app, ids)
  if (mentions.includes(roomMention)) return { named, all: 'room' }
  return mentions.includes(hereMention) ? { named, all: 'here' } : { named }
}

/** @param isHere whether the user is connected */
export function mentionOf(user: string, { named, all }: Mentions, isHere = false): Mention | undefined {
  if (named.has(user)) return 'user'
  return all === 'room' || (all === 'here' && isHere) ? 'room' : undefined
}

function isRoomMention(id: string): boolean {
  return id === roomMention || id === hereMention
}

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
