import { inParts, readInParts } from '@parley/async/in-parts'
import type { IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { unflushedOf } from '../room-buffer/buffer.ts'
import type { Attachment } from './documents.ts'

/** Limits an index to messages with attachments. */
const withAttachments = { partialFilterExpression: { attachments: { $exists: true } } }

export const attachedIndexes: IndexDescription[] = [
  { key: { 'attachments.fileID': 1, _id: 1 }, ...withAttachments },
  { key: { roomKey: 1, 'attachments.fileID': 1 }, ...withAttachments },
  // By `room`, to include thread messages: their `roomKey` is the thread's.
  { key: { 'attachments.fileID': 1, room: 1 }, ...withAttachments },
]

const roomsPerQuery = 500
const usesPerBatch = 200

/** The fields that decide whether a user may read a message with a file. */
export type FileUse = Pick<
  MessageDoc,
  '_id' | 'app' | 'room' | 'roomKey' | 'seq' | 'createdAtMS' | 'isDeleted' | 'threadOf' | 'messageType' | 'content'
>
const useFields = {
  ...{ app: 1, room: 1, roomKey: 1, seq: 1, createdAtMS: 1, isDeleted: 1, threadOf: 1, messageType: 1 },
  // Content can be 64 KiB, so only its presence is read.
  content: { $cond: [{ $gt: ['$content', null] }, '', '$$REMOVE'] },
} as const

/** The flushed messages with a file after message `afterID`, oldest first. */
export async function findUses(
  db: Db,
  { app, id }: { app: string; id: string },
  afterID: string,
  limit: number,
): Promise<FileUse[]> {
  return db.messages
    .find({ 'attachments.fileID': id, attachments: { $exists: true }, _id: { $gt: afterID }, app })
    .project<FileUse>(useFields)
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
}

/** The flushed messages with a file in these rooms (IDs) and their threads, in batches. Other rooms add no cost. */
export async function* findUsesInRooms(
  db: Db,
  { app, id }: { app: string; id: string },
  rooms: readonly string[],
): AsyncGenerator<FileUse[]> {
  for (const some of inParts(rooms, roomsPerQuery)) {
    const uses = db.messages
      .find({ 'attachments.fileID': id, attachments: { $exists: true }, room: { $in: some }, app })
      .hint({ 'attachments.fileID': 1, room: 1 })
      .project<FileUse>(useFields)
      .batchSize(usesPerBatch)
    yield* readInParts(uses, usesPerBatch)
  }
}

/** The attachments of the flushed messages of a room and its threads, per message. */
export async function* findAttachedIn(db: Db, { app, id }: { app: string; id: string }): AsyncGenerator<Attachment[]> {
  const roomKey = key(app, id)
  const ofRoom = { roomKey: { $gte: roomKey, $lt: `${roomKey}\u0001` }, attachments: { $exists: true } }
  for await (const { attachments } of db.messages.find(ofRoom, { projection: { attachments: 1 }, batchSize: 200 })) {
    if (attachments) yield attachments
  }
}

/** The messages with a file that are still in room buffers, which are few. */
export async function findUsesInBuffers(db: Db, { app, id }: { app: string; id: string }): Promise<FileUse[]> {
  const unflushed = { bufferSinceMS: { $gt: 0 }, app, 'buffer.attachments.fileID': id }
  const rooms = await db.rooms.find(unflushed, { hint: { bufferSinceMS: 1 } }).toArray()
  return rooms.flatMap(unflushedOf).filter(({ attachments = [] }) => attachments.some(({ fileID }) => fileID === id))
}

/** Transfers a user's files that are attached in these rooms to the integrator, so that they outlive the user. */
export async function disownFiles(db: Db, app: string, owner: string, rooms: readonly string[]): Promise<void> {
  if (rooms.length === 0) return
  const files = db.files.find({ ownerKey: key(app, owner) }).project<{ _id: string; id: string }>({ id: 1 })
  for await (const { _id, id } of files) {
    for await (const uses of findUsesInRooms(db, { app, id }, rooms)) {
      if (uses.length === 0) continue
      await db.files.updateOne({ _id }, { $unset: { owner: 1, ownerKey: 1 } })
      break
    }
  }
}
