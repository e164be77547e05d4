import type { Filter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key, ofRoom } from '../keys.ts'
import { countInBuckets } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { findDeletedUpTo } from '../messages/user-deletions.ts'
import type { MembershipDoc } from '../rooms/documents.ts'

/** Messages after a read marker that do not count as unread for a member. Each message counts once. */
export interface Uncounted {
  own: number
  /** Deleted for all or recalled, except own messages. */
  deleted: number
  /**
   * Deleted by the member for themselves, and not in `own` or `deleted`. Includes all messages up to a deletion of all.
   */
  hidden: number
}

/** Messages of a room or thread that never count as unread: deleted for all, or recalled. */
export function neverUnread(roomKey: string, seq: { $gt: number; $lte?: number }): Filter<MessageDoc> {
  return {
    $or: [
      { roomKey, isDeleted: true, seq },
      { roomKey, recalled: true, seq },
    ],
  }
}

/**
 * Computes a member's `uncounted` after `seq` from the messages. Reads index entries of own messages, and the deleted
 * or recalled messages.
 * @param upToSeq the last seq of the room or thread; an unfinished import may have written messages beyond it
 * @param ownInBuffer seqs of the member's buffered messages; those up to `flushedSeq` are already counted
 */
export async function countUncountedAfter(
  db: Db,
  membership: Pick<MembershipDoc, 'app' | 'room' | 'roomKey' | 'user' | 'flushedSeq'>,
  seq: number,
  upToSeq: number,
  ownInBuffer: readonly number[],
  session: Session,
): Promise<Uncounted> {
  // The usual case: the member has read everything.
  if (seq >= upToSeq) return { own: 0, deleted: 0, hidden: 0 }
  const { app, room, roomKey, user, flushedSeq = 0 } = membership
  // Deleting all messages of a room for oneself does not affect its threads.
  const isOfThread = roomKey !== key(app, room)
  const from = isOfThread ? seq : Math.max(seq, await findDeletedUpTo(db, app, room, user, session))
  const after = { $gt: from, $lte: upToSeq }
  const ownFlushed = { roomKey, sender: user, seq: { ...after, $nin: [...ownInBuffer] } }
  const ownCounted = ownInBuffer.filter((own) => own > from && own <= flushedSeq).length
  const apart = await db.messages.countDocuments(ownFlushed, { session })
  const range = { after: from, upTo: upToSeq }
  const own =
    ownCounted + apart + (await countInBuckets(db, roomKey, range, { sender: user, except: ownInBuffer }, session))
  const projection = { _id: 0, seq: 1, sender: 1 }
  const deleted = await db.messages.find(neverUnread(roomKey, after), { session, projection }).toArray()
  const hidden = await db.userDeletions
    .find({ ...ofRoom(key(app, room)), roomKey, user, seq: after }, { session, projection })
    .toArray()
  const ofOthers = (some: readonly { seq: number; sender?: string }[]) =>
    new Set(some.filter(({ sender }) => sender !== user).map((message) => message.seq))
  const deletedSeqs = ofOthers(deleted)
  const hiddenSeqs = [...ofOthers(hidden)].filter((of) => !deletedSeqs.has(of))
  return { own, deleted: deletedSeqs.size, hidden: from - seq + hiddenSeqs.length }
}

export function sumOf({ own, deleted, hidden }: Uncounted): number {
  return own + deleted + hidden
}
