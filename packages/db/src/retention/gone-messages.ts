import type { Db, Session } from '../db.ts'
import { checkFilesSoon } from '../files/files.ts'
import { idsOf, key, ofRoom } from '../keys.ts'
import { removeFromBuckets } from '../message-buckets/buckets.ts'
import { makeStubs } from '../messages/change-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { currentMarkerIn } from '../rooms/memberships.ts'
import { threadKey } from '../threads/thread.ts'

/** A room or thread: its key, and the seq up to which all messages are already deleted. */
interface Holder {
  _id: string
  deletedUpToSeq?: number
}

/**
 * Removes the oldest messages of a room or thread permanently, with their search words and personal deletions, and
 * schedules a check of their files. Messages in `kept` become stubs.
 * @param messages all messages after `afterSeq`, up to `upToSeq`; earlier ones are already removed
 */
export async function removeMessages(
  db: Db,
  roomKey: string,
  messages: readonly MessageDoc[],
  { afterSeq, upToSeq, kept, atMS }: { afterSeq: number; upToSeq: number; kept: ReadonlySet<string>; atMS: number },
  session: Session,
): Promise<void> {
  const ids = idsOf(messages)
  for (const { app, attachments } of messages) if (attachments) await checkFilesSoon(db, app, attachments, session)
  await db.searchTexts.deleteMany({ _id: { $in: ids } }, { session })
  await db.userDeletions.deleteMany({ roomKey, message: { $in: ids } }, { session })
  await removeFromBuckets(db, roomKey, upToSeq, session)
  const apart = { roomKey, seq: { $gt: afterSeq, $lte: upToSeq }, _id: { $nin: [...kept] } }
  await db.messages.deleteMany(apart, { session })
  const living = { roomKey, _id: { $in: [...kept] }, isDeleted: { $ne: true as const } }
  if (kept.size > 0) await makeStubs(db, living, atMS, session)
  const threads = messages
    .filter(({ _id, thread }) => thread && !kept.has(_id))
    .map((root) => threadKey(root, root._id))
  if (threads.length > 0) await db.threadMembers.deleteMany({ roomKey: { $in: threads } }, { session })
}

/**
 * Moves every read marker past the removed messages, so that they count neither as unread nor in `uncounted`.
 * @param members the memberships of rooms, or of threads
 * @param messages all messages after `deletedUpToSeq`, up to `upToSeq`
 * @param hidden by message ID, the users who deleted the message for themselves
 */
export async function passMessages(
  members: Db['memberships'],
  { _id: roomKey, deletedUpToSeq = 0 }: Holder,
  messages: readonly MessageDoc[],
  { upToSeq, hidden }: { upToSeq: number; hidden: ReadonlyMap<string, readonly string[]> },
  session: Session,
): Promise<void> {
  const neverUnread = messages.filter(({ isDeleted, recalled }) => isDeleted || recalled).map(({ seq }) => seq)
  const uncounted = new Map<string, Set<number>>()
  for (const { _id, seq, sender } of messages) {
    for (const user of [sender, ...(hidden.get(_id) ?? [])]) {
      uncounted.set(user, (uncounted.get(user) ?? new Set(neverUnread)).add(seq))
    }
  }
  const marker = currentMarkerIn(deletedUpToSeq)
  const update = (seqs: readonly number[]) => {
    const gone = { $size: { $filter: { input: [...seqs], cond: { $gt: ['$$this', marker.readSeq] } } } }
    return [{ $set: { readSeq: upToSeq, uncounted: { $subtract: [marker.uncounted, gone] } } }]
  }
  const isBehind = { readSeq: { $lt: upToSeq } }
  await members.updateMany(
    { ...ofRoom(roomKey), user: { $nin: [...uncounted.keys()] }, ...isBehind },
    update(neverUnread),
    {
      session,
    },
  )
  const own = [...uncounted].map(([user, seqs]) => ({
    updateOne: { filter: { _id: key(roomKey, user), ...isBehind }, update: update([...seqs]) },
  }))
  if (own.length > 0) await members.bulkWrite(own, { session, ordered: false })
}

export async function findOldestInThreads(
  db: Db,
  { app, id }: { app: string; id: string },
  beforeMS: number,
  limit: number,
  session?: Session,
): Promise<MessageDoc[]> {
  return db.messages
    .find(
      { app, room: id, createdAtMS: { $lt: beforeMS }, threadOf: { $exists: true } },
      { ...(session && { session }) },
    )
    .sort({ createdAtMS: 1 })
    .limit(limit)
    .toArray()
}

export async function setGone(
  db: Db,
  { _id, deletedUpToSeq = 0 }: Holder,
  upToSeq: number,
  session: Session,
): Promise<void> {
  const gone = { goneUpToSeq: upToSeq, deletedUpToSeq: Math.max(deletedUpToSeq, upToSeq) }
  await db.rooms.updateOne({ _id }, { $set: gone }, { session })
}

export async function setGoneInThread(
  db: Db,
  root: string,
  deletedUpToSeq: number,
  upToSeq: number,
  session: Session,
): Promise<void> {
  const gone = {
    'thread.goneUpToSeq': upToSeq,
    'thread.deletedUpToSeq': Math.max(deletedUpToSeq, upToSeq),
  }
  await db.messages.updateOne({ _id: root }, { $set: gone }, { session })
}

/** Removes a root whose thread has ended, and the thread's users. */
export async function removeRoot(db: Db, root: MessageDoc, session: Session): Promise<void> {
  await db.messages.deleteOne({ _id: root._id }, { session })
  await db.threadMembers.deleteMany(ofRoom(threadKey(root, root._id)), { session })
}
