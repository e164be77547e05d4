import type { Input, Result } from '@parley/contracts/operation'
import type { listMembers as operation } from '@parley/contracts/operations/rooms/members'
import { findMemberPage } from '@parley/db/rooms/room-members'
import { inTransaction } from '@parley/db/transactions/transaction'
import { findUsers } from '@parley/db/users/users'
import type { Caller } from '../access/caller.ts'
import { findRole } from '../access/room-role.ts'
import type { Chat } from '../chat.ts'
import { toSenderView } from '../views/message.ts'

/** A page of a room's members, longest-standing first. @throws ApiError ROOM_NOT_FOUND, NOT_ROOM_MEMBER */
export async function listMembers(
  chat: Chat,
  by: Caller,
  roomId: string,
  { skip, limit }: Input<typeof operation>['query'],
): Promise<Result<typeof operation>> {
  const { room } = await inTransaction(chat.db, (session) => findRole(chat, by, roomId, session))
  const members = await findMemberPage(chat.db, room._id, skip, limit)
  const ids = members.map(({ user }) => user)
  const users = await findUsers(chat.db, by.app, ids)
  const read = room.deletedUpToSeq ?? 0
  return {
    totalCount: room.memberCount,
    data: members.map(({ user, deliveredSeq = 0, ...member }) => {
      const readSeq = Math.max(member.readSeq, read)
      const progress = { readSeq, deliveredSeq: Math.max(deliveredSeq, readSeq) }
      return Object.assign(toSenderView(user, users.get(user)), progress)
    }),
  }
}
