import type { Db } from '@parley/db/connect'
import type { MessageDoc } from '@parley/db/messages/documents'
import { findMessages } from '@parley/db/messages/messages'
import type { RoomDoc } from '@parley/db/rooms/documents'
import { countedThread } from '@parley/db/threads/thread'
import type { Session } from '@parley/db/transactions/transaction'

/** Where a message counts as unread, its room or its thread, and for which members. */
export async function countedIn(
  db: Db,
  room: RoomDoc,
  { threadOf }: Pick<MessageDoc, 'threadOf'>,
  session: Session,
): Promise<{ members: Db['memberships']; counted: Pick<RoomDoc, '_id' | 'deletedUpToSeq'> }> {
  const [root] = threadOf === undefined ? [] : await findMessages(db, [threadOf], session)
  return root
    ? { members: db.threadMembers, counted: countedThread(root, room) }
    : { members: db.memberships, counted: room }
}
