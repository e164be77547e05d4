import type { Input, Result } from '@parley/contracts/operation'
import type { inspectMembers as operation } from '@parley/contracts/operations/admin/rooms'
import { key } from '@parley/db/keys'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { findMembersAfter } from '@parley/db/rooms/room-members'
import { findRoom } from '@parley/db/rooms/rooms'
import { findUsers } from '@parley/db/users/users'
import { checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { pageOf, parseCursor, toCursor } from '../page-cursor.ts'
import { roleOf } from '../views/admin-room.ts'
import { toSenderView } from '../views/message.ts'
import { toPrefView } from '../views/room.ts'

/**
 * A page of a room's members, longest-standing first. The cost does not depend on the position of the page.
 * @throws ApiError ROOM_NOT_FOUND, INVALID_QUERY
 */
export async function inspectMembers(
  { db }: Chat,
  app: string,
  roomId: string,
  { limit, cursor }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const after = parseCursor(cursor, /^[^]+$/)
  const room = checkRoom(await findRoom(db, app, roomId), roomId)
  const place = after && { atMS: after.atMS, id: key(app, roomId, after.id) }
  const oneMore = await findMembersAfter(db, room._id, place, limit + 1)
  const { shown: members, last } = pageOf(oneMore, limit)
  const users = await findUsers(
    db,
    app,
    members.map(({ user }) => user),
  )
  const read = room.deletedUpToSeq ?? 0
  return {
    totalCount: room.memberCount,
    data: members.map((member) => {
      const { user, joinedAtMS, deliveredSeq = 0, blockedUntilMS: untilMS } = member
      const readSeq = Math.max(member.readSeq, read)
      return Object.assign(toSenderView(user, users.get(user)), {
        role: roleOf(room, user),
        joinedAtMS,
        readSeq,
        deliveredSeq: Math.max(deliveredSeq, readSeq),
        muted: toPrefView(member).muted,
        ...(isBlocked(member) && { blocked: { ...(untilMS !== undefined && { untilMS }) } }),
      })
    }),
    ...(last && { cursor: toCursor({ atMS: last.joinedAtMS, id: last.user }) }),
  }
}
