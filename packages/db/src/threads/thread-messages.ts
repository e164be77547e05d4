import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { takeFromBuckets } from '../message-buckets/buckets.ts'
import type { MessageDoc } from '../messages/documents.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import type { Thread } from './thread.ts'

/** Covers only thread messages, of all threads of a room. */
export const threadMessageIndexes: IndexDescription[] = [
  { key: { app: 1, room: 1, createdAtMS: 1 }, partialFilterExpression: { threadOf: { $exists: true } } },
]

/** Inserts a thread message and updates `thread` of the root, in a transaction that has locked the room. */
export async function insertInThread(
  db: Db,
  message: MessageDoc,
  root: MessageDoc,
  thread: Thread,
  session: Session,
): Promise<void> {
  await db.messages.insertOne(message, { session })
  const { matchedCount } = await db.messages.updateOne({ _id: root._id }, { $set: { thread } }, { session })
  if (matchedCount === 0 && (await takeFromBuckets(db, [root], session))) {
    await db.messages.insertOne({ ...root, thread }, { session })
  }
  const { createdAtMS } = message
  await db.rooms.updateOne({ _id: roomKeyOf(root) }, { $set: { lastThreadAtMS: createdAtMS } }, { session })
}

/** A root's `roomKey` is the room's own. */
const roomKeyOf = ({ roomKey }: MessageDoc) => roomKey

export async function findThreadMessages(
  db: Db,
  { app, id }: Pick<RoomDoc, 'app' | 'id'>,
  { afterMS, upToMS }: { afterMS: number; upToMS: number },
  limit: number,
  session?: Session,
): Promise<Pick<MessageDoc, '_id' | 'createdAtMS'>[]> {
  return db.messages
    .find(
      { app, room: id, createdAtMS: { $gt: afterMS, $lte: upToMS }, threadOf: { $exists: true } },
      { ...(session && { session }) },
    )
    .project<Pick<MessageDoc, '_id' | 'createdAtMS'>>({ createdAtMS: 1 })
    .sort({ createdAtMS: 1 })
    .limit(limit)
    .toArray()
}

export async function findLatestInThreads(
  db: Db,
  { app, id }: Pick<RoomDoc, 'app' | 'id'>,
  sinceMS: number,
  limit: number,
): Promise<MessageDoc[]> {
  return db.messages
    .find({ app, room: id, createdAtMS: { $gte: sinceMS }, threadOf: { $exists: true } })
    .sort({ createdAtMS: -1 })
    .limit(limit)
    .toArray()
}

/** The root IDs of thread messages, by message ID; messages outside threads are omitted. */
export async function findRootsOf(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = db.messages.find({ _id: { $in: [...ids] }, threadOf: { $exists: true } })
  const messages = await found.project<{ _id: string; threadOf: string }>({ threadOf: 1 }).toArray()
  return new Map(messages.map(({ _id, threadOf }) => [_id, threadOf]))
}
