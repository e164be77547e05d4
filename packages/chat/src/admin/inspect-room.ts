import { currentMessage } from '@parley/db/messages/deleted-messages'
import { unflushedOf } from '@parley/db/room-buffer/buffer'
import { findRoomOfMember } from '@parley/db/rooms/rooms-of-member'
import { onlyUsers } from '@parley/db/users/users'
import { type AuthenticatedIntegrator, asIntegrator } from '../access/caller.ts'
import { checkRoom } from '../access/require-member.ts'
import type { Chat } from '../chat.ts'
import { findQuoted } from '../messages/reading/quoted-messages.ts'
import { countedIn } from '../views/admin-room.ts'
import { JsonText, withField } from '../views/json-text.ts'
import { messageJson } from '../views/message.ts'
import { toRoomViewFor } from '../views/room.ts'

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
  const view = { ...toRoomViewFor(asIntegrator(app), room, users), ...countedIn(room) }
  const last = found?.last[0] ?? unflushedOf(room).at(-1)
  if (!last || 'operator' in caller) return new JsonText([JSON.stringify(view)])
  const quoted = await findQuoted(db, [last], new Map([[room._id, room]]))
  const json = messageJson(currentMessage(last, room), users.get(last.sender), quoted)
  return new JsonText([withField(view, 'lastMessage', json)])
}
