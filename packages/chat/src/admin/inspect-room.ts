import type { Input, Result } from '@parley/contracts/operation'
import type { inspectMembers as operation } from '@parley/contracts/operations/admin/rooms'
import { key } from '@parley/db/keys'
import { currentMessage } from '@parley/db/messages/deleted-messages'
import { unflushedOf } from '@parley/db/room-buffer/buffer'
import { isBlocked } from '@parley/db/rooms/blocked-members'
import { findMembersAfter } from '@parley/db/rooms/room-members'
import { findRoom } from '@parley/db/rooms/rooms'
import { findRoomOfMember } from '@parley/db/rooms/rooms-of-member'
import { findUsers, onlyUsers } from '@parley/db/users/users'
import { type AuthenticatedIntegrator, asIntegrator } from '../access/caller.ts'
import { checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { anyText, pageOf, parseCursor, toCursor } from '../page-cursor.ts'
import { messageCounts, roleOf } from '../views/admin-room.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { messageJson, toSenderView } from '../views/message.ts'
import { toPrefView, toRoomViewFor } from '../views/room.ts'

/**
 * A room with all of its settings and its latest message. Operators do not get the message, since they give no reason
 * here.
 * @throws ApiError ROOM_NOT_FOUND
 */
export async function inspectRoom({ db }: Chat, caller: AuthenticatedIntegrator, roomId: string): Promise<JsonText> {
  const { app } = caller
  // No user has an empty ID.
  const found = await findRoomOfMember(db, app, roomId, '')
  const room = checkRoom(found?.room, roomId)
  const users = onlyUsers(found?.users ?? [])
  const view = { ...toRoomViewFor(asIntegrator(app), room, users), ...messageCounts(room) }
  const last = found?.last[0] ?? unflushedOf(room).at(-1)
  if (!last || 'operator' in caller) return new JsonText([JSON.stringify(view)])
  const quoted = await findQuoted(db, [last], new Map([[room._id, room]]))
  const json = messageJson(currentMessage(last, room), users.get(last.sender), quoted)
  return new JsonText([withField(view, 'lastMessage', json)])
}

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
  const after = parseCursor('members', cursor, anyText)
  const room = checkRoom(await findRoom(db, app, roomId), roomId)
  const position = after && { atMS: after.atMS, id: key(app, roomId, after.id) }
  const oneMore = await findMembersAfter(db, room._id, position, limit + 1)
  const { shown: members, last } = pageOf(oneMore, limit)
  const ids = members.map(({ user }) => user)
  const users = await findUsers(db, app, ids)
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
    ...(last && { cursor: toCursor('members', { atMS: last.joinedAtMS, id: last.user }) }),
  }
}
