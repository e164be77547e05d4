import type { Input, Result } from '@parley/contracts/operation'
import type { inspectRoomsOfUser as operation } from '@parley/contracts/operations/admin/rooms'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findRoomsOfMember } from '@parley/db/rooms/rooms-of-member'
import { findUser } from '@parley/db/users/users'
import { unknownClient } from '../access/revoke-tokens.ts'
import type { Chat } from '../chat.ts'
import { roleOf, toListedRoom } from '../views/admin-room.ts'
import { toPrefView } from '../views/room.ts'

/**
 * The rooms of a user, latest message first, with exact unread counts. The cost grows with the number of the user's
 * rooms.
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function inspectRoomsOfUser(
  { db }: Chat,
  app: string,
  user: string,
  { skip, limit }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  if (!(await findUser(db, app, user))) throw unknownClient(user)
  const all = await findRoomsOfMember(db, app, user)
  const sorted = all.toSorted((a, b) => latest(b) - latest(a))
  const page = sorted.slice(skip, skip + limit)
  const rooms = await findRoomsByKey(
    db,
    page.map(({ room }) => room._id),
  )
  const byKey = new Map(rooms.map((room) => [room._id, room]))
  return {
    totalCount: all.length,
    data: page.flatMap(({ room: { _id }, membership, unread }) => {
      const room = byKey.get(_id)
      if (!room) return []
      return [{ ...toListedRoom(room), role: roleOf(room, user), unread, muted: toPrefView(membership).muted }]
    }),
  }
}

const latest = ({ room }: { room: { lastMessageAtMS: number; createdAtMS: number } }) =>
  room.lastMessageAtMS || room.createdAtMS
