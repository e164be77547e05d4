import type { Db, Session } from '@parley/db/connect'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { setSearchWords } from '@parley/db/messages/search-texts'
import { findUsersWhoDeleted } from '@parley/db/messages/user-deletions'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { countedThread } from '@parley/db/threads/thread'
import { uncountDeleted } from '@parley/db/unread/uncount-deleted'

/**
 * Removes messages of a room and its threads from unread counts and search when they become stubs or are recalled. The
 * room must be locked, and none of the messages deleted before. Recalled messages are already uncounted.
 */
export async function uncountMessages(
  db: Db,
  room: RoomDoc,
  messages: readonly MessageDoc[],
  session: Session,
): Promise<void> {
  const counting = messages.filter((message) => !message.recalled)
  for (const [roomKey, own] of Map.groupBy(counting, (message) => message.roomKey)) {
    const { members, counted } = await unreadScope(db, room, own[0] ?? {}, session)
    const who = await findUsersWhoDeleted(db, roomKey, own, session)
    const deleted = own.map(({ _id, seq, sender }) => ({ seq, except: [sender, ...(who.get(_id) ?? [])] }))
    await uncountDeleted(members, counted, deleted, session)
  }
  await setSearchWords(db, messages, [], session)
}

/** Where a message counts as unread, its room or its thread, and for which members. */
export async function unreadScope(
  db: Db,
  room: RoomDoc,
  { threadOf }: Pick<MessageDoc, 'threadOf'>,
  session: Session,
): Promise<{ members: Db['memberships']; counted: Pick<RoomDoc, '_id' | 'deletedUpToSeq'> }> {
  const [root] = threadOf === undefined ? [] : await findMessages(db, [threadOf], { session })
  return root
    ? { members: db.threadMembers, counted: countedThread(root, room) }
    : { members: db.memberships, counted: room }
}
