import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key } from '../keys.ts'
import { findMessages } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from '../messages/documents.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { runWrites } from '../transactions/run-writes.ts'
import type { RoomAppend } from './append.ts'
import type { BufferedMessage } from './documents.ts'

export const bufferIndexes: IndexDescription[] = [
  { key: { bufferSinceMS: 1 }, partialFilterExpression: { bufferSinceMS: { $exists: true } } },
]

export const withoutBuffer = { buffer: 0 } as const

/** A buffered message in its flushed form. */
export function fromBuffer(
  { app, id, _id }: Pick<RoomDoc, 'app' | 'id' | '_id'>,
  message: BufferedMessage,
): MessageDoc {
  const { sendKey: _sendKey, stored: _stored, ...rest } = message
  return { app, room: id, roomKey: _id, updatedAtMS: message.createdAtMS, ...rest }
}

/** The messages of a room's buffer that may not be flushed yet, in their flushed form. */
export function unflushedOf(room: Pick<RoomDoc, 'app' | 'id' | '_id' | 'buffer' | 'flushedSeq'>): MessageDoc[] {
  const { buffer = [], flushedSeq = 0 } = room
  return buffer.filter(({ seq, stored }) => seq > flushedSeq && !stored).map((message) => fromBuffer(room, message))
}

/** The room with its buffer, but without the contents and mentions of buffered messages. */
export async function findRoomHeads(db: Db, app: string, id: string, session: Session): Promise<RoomDoc | null> {
  const projection = { 'buffer.content': 0, 'buffer.mentions': 0 }
  return db.rooms.findOne({ _id: key(app, id) }, { projection, session })
}

export async function findRoomWithBuffer(db: Db, app: string, id: string): Promise<RoomDoc | null> {
  return db.rooms.findOne({ _id: key(app, id) })
}

export async function findBuffers(db: Db, keys: readonly string[]): Promise<RoomDoc[]> {
  if (keys.length === 0) return []
  return db.rooms.find({ _id: { $in: [...keys] }, 'buffer.0': { $exists: true } }).toArray()
}

export async function findBufferHeads(
  db: Db,
  keys: readonly string[],
): Promise<Pick<RoomDoc, '_id' | 'deletedUpToSeq' | 'buffer'>[]> {
  if (keys.length === 0) return []
  return db.rooms
    .find({ _id: { $in: [...keys] } }, { projection: { deletedUpToSeq: 1, 'buffer.seq': 1, 'buffer.sender': 1 } })
    .toArray()
}

/** Keys of rooms, of `app` or all apps, with buffered messages that were sent before `beforeMS`. */
export async function findUnflushedRooms(
  db: Db,
  { beforeMS = Number.MAX_SAFE_INTEGER, app, limit = 0 }: { beforeMS?: number; app?: string; limit?: number },
): Promise<string[]> {
  const rooms = await db.rooms
    .find({ bufferSinceMS: { $lt: beforeMS }, ...(app !== undefined && { app }) }, { projection: { _id: 1 } })
    .hint({ bufferSinceMS: 1 })
    .limit(limit)
    .toArray()
  return idsOf(rooms)
}

export async function findRoomOfBufferedMessage(db: Db, app: string, message: string): Promise<string | undefined> {
  const unflushed = { bufferSinceMS: { $gt: 0 }, app, 'buffer._id': message }
  const room = await db.rooms.findOne(unflushed, { hint: { bufferSinceMS: 1 }, projection: { id: 1 } })
  return room?.id
}

/** IDs of the messages that were written, buffered or flushed. @param max the most there can be, if known */
export async function findArrived(
  db: Db,
  messages: readonly Pick<MessageDoc, '_id' | 'roomKey'>[],
  max = messages.length,
): Promise<Set<string>> {
  const ids = idsOf(messages)
  const roomKeys = messages.map(({ roomKey }) => roomKey)
  // Read buffers first: a message is flushed before it leaves its buffer.
  const rooms = await db.rooms.find({ _id: { $in: roomKeys } }, { projection: { 'buffer._id': 1 } }).toArray()
  const buffers = new Set(rooms.flatMap(({ buffer = [] }) => idsOf(buffer)))
  const inBuffers = ids.filter((id) => buffers.has(id))
  if (inBuffers.length === max) return new Set(inBuffers)
  const flushed = await findMessages(db, ids)
  return new Set([...inBuffers, ...flushed.map(({ _id }) => _id)])
}

/**
 * Resolves when everything readable now is journaled on a majority: a no-op write waits for all earlier writes. A
 * majority read does not suffice, since a new primary may not know the majority's state yet.
 */
export async function untilDurable(db: Db): Promise<void> {
  await runWrites(db, 'update', db.rooms.collectionName, [{ q: { _id: '' }, u: { $set: { seq: 0 } } }], 'durable')
}

/** Number of the member's own buffered messages after the read marker that are not in `uncounted` yet. */
export function ownUnflushed(
  { readSeq, flushedSeq = 0 }: { readSeq: number; flushedSeq?: number },
  seqs: readonly number[],
): number {
  return seqs.filter((seq) => seq > Math.max(readSeq, flushedSeq)).length
}

/** Projection of rooms: `own`, the seqs of a user's buffered messages. */
export function ownSeqs(user: string): { own: object } {
  const own = { $filter: { input: '$buffer', cond: { $eq: ['$$this.sender', { $literal: user }] } } }
  return { own: { $ifNull: [{ $map: { input: own, in: '$$this.seq' } }, []] } }
}

/** The seq and time that MongoDB assigned to a message of a shared room. */
export type AssignedPosition = Pick<MessageDoc, 'seq' | 'createdAtMS'>

/** The positions of written messages, buffered or flushed, by ID. */
export async function findPositions(db: Db, appends: readonly RoomAppend[]): Promise<Map<string, AssignedPosition>> {
  const ids = appends.flatMap(({ messages }) => messages.map(({ message }) => message._id))
  const buffer = { $filter: { input: { $ifNull: ['$buffer', []] }, cond: { $in: ['$$this._id', ids] } } }
  const projection = {
    buffer: {
      $map: { input: buffer, in: { _id: '$$this._id', seq: '$$this.seq', createdAtMS: '$$this.createdAtMS' } },
    },
  }
  // Read buffers first: a message is flushed before it leaves its buffer.
  const rooms = await db.rooms
    .find<Pick<RoomDoc, 'buffer'>>({ _id: { $in: appends.map(({ room }) => room._id) } }, { projection })
    .toArray()
  const positions = new Map<string, AssignedPosition>(
    rooms.flatMap((room) => (room.buffer ?? []).map((entry) => [entry._id, entry])),
  )
  const missing = ids.filter((id) => !positions.has(id))
  if (missing.length === 0) return positions
  for (const message of await findMessages(db, missing)) positions.set(message._id, message)
  return positions
}
