import { inParts } from '@parley/async/in-parts'
import type { Db } from '../db.ts'
import { key, ofRoom } from '../keys.ts'
import { findMessages } from '../message-buckets/find-messages.ts'
import type { MessageDoc, SearchTextDoc } from '../messages/documents.ts'
import { type Thread, threadKey } from '../threads/thread.ts'
import { insertMissing, runWrites } from '../transactions/run-writes.ts'
import { ImportConflict } from './imported-rooms.ts'
import { retryBusy } from './retry-busy.ts'

export interface ImportedThread extends Omit<Thread, 'deletedUpToSeq'> {
  app: string
  room: string
  /** ID of the thread's root message. */
  root: string
  /** The thread's seq before the import. */
  from: number
}

/** Limited by the four seconds that a command may take. */
const perCommand = 500

export async function findImportedRoots(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, Pick<MessageDoc, '_id' | 'sender' | 'thread'>>> {
  const found = await findMessages(db, ids)
  return new Map(found.map((root) => [root._id, root]))
}

/** Moves threads to their last messages, already inserted. @throws ImportConflict if one was changed meanwhile */
export async function growImported(
  db: Db,
  threads: readonly ImportedThread[],
  words: readonly SearchTextDoc[],
): Promise<void> {
  if (threads.length === 0) return
  await retryBusy(() => insertMissing(db, db.searchTexts.collectionName, words))
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
    { ordered: false, writeConcern: { w: 'majority', journal: true } },
  )
  if (matchedCount < threads.length) throw new ImportConflict('a thread got other messages during the import')
}

interface ImportedThreadMembers {
  app: string
  room: string
  root: string
  users: readonly string[]
  /** Users that saveImportedThreadMembers writes. */
  named: readonly string[]
  /** Of the thread's last message in the file. */
  seq: number
  lastMessageAtMS: number
  /** Whether the thread existed before this import. */
  existed: boolean
}

/** Adds users to threads, with imported messages marked as read. Existing users keep the later of both markers. */
export async function joinImported(db: Db, threads: readonly ImportedThreadMembers[]): Promise<void> {
  const members = threads.flatMap(({ app, room, root, users, seq, lastMessageAtMS }) =>
    users.map((user) => ({
      ...{ _id: key(app, room, root, user), app, room, roomKey: threadKey({ app, room }, root) },
      ...{ user, userKey: key(app, user), joinedAtMS: lastMessageAtMS, readSeq: seq, uncounted: 0 },
    })),
  )
  for (const part of inParts(members, perCommand)) {
    await retryBusy(() => insertMissing(db, db.threadMembers.collectionName, part))
  }
  const statements = threads
    .filter(({ existed }) => existed)
    .map(({ app, room, root, named, seq }) => ({
      q: { ...ofRoom(threadKey({ app, room }, root)), readSeq: { $lt: seq }, user: { $nin: [...named] } },
      u: { $set: { readSeq: seq, uncounted: 0 } },
      multi: true,
    }))
  for (const part of inParts(statements, perCommand)) {
    await retryBusy(() => runWrites(db, 'update', db.threadMembers.collectionName, part, 'durable'))
  }
}

/** The number of messages per thread, by key; empty threads are omitted. */
export async function countInThreads(db: Db, keys: readonly string[]): Promise<Map<string, number>> {
  const found = await db.messages
    .aggregate<{ _id: string; count: number }>([
      { $match: { roomKey: { $in: [...keys] } } },
      { $group: { _id: '$roomKey', count: { $sum: 1 } } },
    ])
    .toArray()
  return new Map(found.map(({ _id, count }) => [_id, count]))
}
