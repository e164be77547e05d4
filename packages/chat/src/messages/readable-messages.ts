import type { Db } from '@parley/db/connect'
import { type AppUser, key } from '@parley/db/keys'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import { isDeletedIn } from '@parley/db/messages/deleted-messages'
import type { MessageDoc, SavedMessageDoc } from '@parley/db/messages/documents'
import { findUserDeletions } from '@parley/db/messages/user-deletions'
import { findRoomsByKey } from '@parley/db/rooms/rooms'
import { findRoomsOfMember } from '@parley/db/rooms/rooms-of-users'

/** The flushed messages that a user can read: in their rooms, and neither recalled nor deleted for them. */
export async function findReadable(
  db: Db,
  { app, user }: AppUser,
  saved: readonly Pick<SavedMessageDoc, 'message' | 'room'>[],
): Promise<MessageDoc[]> {
  if (saved.length === 0) return []
  const messages = saved.map(({ message }) => message)
  const roomIDs = [...new Set(saved.map(({ room }) => room))]
  const keys = roomIDs.map((id) => key(app, id))
  const [found, rooms, own] = await Promise.all([
    findMessages(db, messages),
    findRoomsByKey(db, keys),
    findRoomsOfMember(db, app, user, roomIDs),
  ])
  const readable = rooms.filter(({ id, deletedAt }) => own.includes(id) && !deletedAt)
  const open = new Map(readable.map((room) => [room.id, room]))
  const left = found.filter((message) => {
    const room = message.app === app ? open.get(message.room) : undefined
    return room && !message.recalled && !isDeletedIn(message, room)
  })
  const hidden = await findUserDeletions(db, app, user, left)
  return left.filter(({ _id }) => !hidden.has(_id))
}
