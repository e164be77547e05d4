import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/messages.ts'
import type { SearchTextDoc } from '../messages/search-texts.ts'
import { type Thread, threadKey } from '../threads/thread.ts'
import { insertMissing } from '../transactions/run-writes.ts'
import { ImportConflict } from './imported-rooms.ts'

/** A thread that gets messages. */
export interface ImportedThread extends Omit<Thread, 'deletedUpToSeq'> {
  app: string
  room: string
  /** ID of the message that it is about. */
  root: string
  /** Its seq before. */
  from: number
  /** All who take part. */
  members: readonly string[]
}

/** The messages that threads are about, as far as they are there, by ID. */
export async function findImportedRoots(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, Pick<MessageDoc, '_id' | 'sender' | 'thread'>>> {
  if (ids.length === 0) return new Map()
  const found = await db.messages
    .find({ _id: { $in: [...ids] } })
    .project<Pick<MessageDoc, '_id' | 'sender' | 'thread'>>({ sender: 1, thread: 1 })
    .toArray()
  return new Map(found.map((root) => [root._id, root]))
}

/**
 * Writes threads to their last messages, which are inserted already, and lets their users take part: what was imported is read.
 * @throws ImportConflict when a thread was changed meanwhile
 */
export async function growImported(
  db: Db,
  threads: readonly ImportedThread[],
  words: readonly SearchTextDoc[],
): Promise<void> {
  if (threads.length === 0) return
  await insertMissing(db, db.searchTexts.collectionName, words)
  const durably = { ordered: false, writeConcern: { w: 'majority', journal: true } } as const
  await db.threadMembers.bulkWrite(threads.flatMap(joinedBy), durably)
  const { matchedCount } = await db.messages.bulkWrite(
    threads.map(({ root, from, seq, lastMessageID, lastMessageAtMS, users }) => ({
      updateOne: {
        filter: { _id: root, ...(from === 0 ? { thread: { $exists: false } } : { 'thread.seq': from }) },
        update: {
          $set: {
            'thread.seq': seq,
            'thread.lastMessageID': lastMessageID,
            'thread.lastMessageAtMS': lastMessageAtMS,
            'thread.users': users,
          },
        },
      },
    })),
    durably,
  )
  if (matchedCount < threads.length) throw new ImportConflict('a thread got messages of others while it was imported')
}

function joinedBy({ app, room, root, seq, lastMessageAtMS, members }: ImportedThread) {
  const roomKey = threadKey({ app, room }, root)
  return members.map((user) => ({
    updateOne: {
      filter: { _id: key(app, room, root, user) },
      update: {
        $set: { readSeq: seq, uncounted: 0 },
        $setOnInsert: { app, room, roomKey, user, userKey: key(app, user), joinedAtMS: lastMessageAtMS },
      },
      upsert: true,
    },
  }))
}

/** How many messages each of these threads has, by its key; those without any are left out. */
export async function countInThreads(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  const found = await db.messages
    .aggregate<{ _id: string; count: number }>([
      { $match: { roomKey: { $in: [...keys] } } },
      { $group: { _id: '$roomKey', count: { $sum: 1 } } },
    ])
    .toArray()
  return new Map(found.map(({ _id, count }) => [_id, count]))
}
