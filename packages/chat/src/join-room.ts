import { ApiError } from '@parley/contracts/errors'
import { maxMembers } from '@parley/contracts/operations/members'
import { maxMembersShown, type Room } from '@parley/contracts/resources/room'
import { findBan } from '@parley/db/bans'
import { takeInvitation } from '@parley/db/invitations'
import { addMembersTo, findMembersAmong } from '@parley/db/memberships'
import { findRoom } from '@parley/db/rooms'
import { inTransaction } from '@parley/db/transaction'
import { findUsers, recordJoin } from '@parley/db/users'
import type { UserCaller } from './authenticate-user.ts'
import type { Chat } from './chat.ts'
import { controlMembers } from './control-users.ts'
import { showRoom } from './show-room.ts'
import { writeSystemMessage } from './system-message.ts'
import { tellMembersChange } from './tell-members-change.ts'
import { tellRoom } from './update-room.ts'

/**
 * The caller joins a group that is open or that he is invited to (decisions.md, "Rooms and members"). Who is a member
 * already stays one.
 * @throws ApiError ROOM_NOT_FOUND, ROOM_CLOSED, USER_BLOCKED, INVALID_REQUEST when the group is full
 */
export async function joinRoom(
  chat: Chat,
  { app, user }: Pick<UserCaller, 'app' | 'user'>,
  roomId: string,
  systemMessage = false,
): Promise<Room> {
  const { db } = chat
  const { room, joined } = await inTransaction(db, async (session) => {
    const before = await findRoom(db, app, roomId, session)
    if (!before || before.deletedAt) throw new ApiError('ROOM_NOT_FOUND', `no room ${JSON.stringify(roomId)}`)
    if ((await findMembersAmong(db, before, [user], session)).has(user)) return { room: before, joined: false }
    const invitation = await takeInvitation(db, app, roomId, user, session)
    if (!invitation && (before.opening === 0 || before.roomType === 'direct')) throw new ApiError('ROOM_CLOSED')
    if (await findBan(db, app, roomId, user, session)) throw new ApiError('USER_BLOCKED')
    if (before.memberCount >= maxMembers) {
      throw new ApiError('INVALID_REQUEST', `id: a group has at most ${maxMembers} members`)
    }
    return { room: await addMembersTo(db, before, [user], maxMembersShown, session), joined: true }
  })
  if (!joined) return showRoom(room, await findUsers(db, app, room.firstMembers))
  await recordJoin(db, app, [user])
  await controlMembers(chat, app, 'joined', roomId, [user])
  const shown = await tellRoom(chat, room)
  await tellMembersChange(chat, app, { event: 'JOIN_ROOM', room: roomId, sender: user, members: [user] })
  if (systemMessage) await writeSystemMessage(chat, room, 'joinRoom', user, [user])
  return shown
}
