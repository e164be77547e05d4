import { maxMembersShown } from '@parley/contracts/resources/room'
import { deleteDevices } from '@parley/db/devices'
import { findRoomIdsOfUser, removeMembers } from '@parley/db/memberships'
import { deletePrefsOfUser } from '@parley/db/prefs'
import { findRoom } from '@parley/db/rooms'
import { deleteTokens } from '@parley/db/tokens'
import { inTransaction } from '@parley/db/transaction'
import { deleteUserDoc, findUser } from '@parley/db/users'
import type { Chat } from './chat.ts'
import { controlMembers, controlRevoked } from './control-users.ts'
import { unknownClient } from './revoke-tokens.ts'
import { tellMembersChange } from './tell-members-change.ts'
import { tellRoom } from './update-room.ts'

const roomsAtOnce = 8

/**
 * Erases a user: his tokens and sockets end first, then he leaves his rooms, then the rest goes with the profile
 * (decisions.md, "Users"). Messages keep the ID. What is broken off in the middle is finished by calling it again.
 * @throws ApiError CLIENT_NOT_FOUND
 */
export async function eraseUser(chat: Chat, app: string, user: string): Promise<Record<string, never>> {
  const { db } = chat
  const found = await findUser(db, app, user)
  if (!found || found.groupMembers) throw unknownClient(user)
  await controlRevoked(chat, app, user, await deleteTokens(db, app, user))
  for (let rooms = await findRoomIdsOfUser(db, app, user); rooms.length > 0; ) {
    for (let i = 0; i < rooms.length; i += roomsAtOnce) {
      await Promise.all(rooms.slice(i, i + roomsAtOnce).map((room) => leaveRoom(chat, app, room, user)))
    }
    rooms = await findRoomIdsOfUser(db, app, user)
  }
  const ended = await inTransaction(db, async (session) => {
    await deleteDevices(db, app, user, 'all', session)
    await deletePrefsOfUser(db, app, user, session)
    await deleteUserDoc(db, app, user, session)
    return deleteTokens(db, app, user, undefined, session)
  })
  await controlRevoked(chat, app, user, ended)
  return {}
}

async function leaveRoom(chat: Chat, app: string, id: string, user: string): Promise<void> {
  const after = await inTransaction(chat.db, async (session) => {
    const room = await findRoom(chat.db, app, id, session)
    return room && removeMembers(chat.db, room, [user], maxMembersShown, session)
  })
  if (!after || after.removed.length === 0) return
  await controlMembers(chat, app, 'left', id, [user])
  await tellRoom(chat, after.room)
  await tellMembersChange(chat, app, { event: 'DELETE_MEMBERS', room: id, sender: undefined, members: [user] })
}
