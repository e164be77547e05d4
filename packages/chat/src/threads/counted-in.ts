import type { Db, Session } from '@parley/db/connect'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { countedThread } from '@parley/db/threads/thread'

/** Where a message counts as unread, its room or its thread, and for which members. */
export async function countedIn(
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
