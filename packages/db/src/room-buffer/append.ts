import { clock } from '@parley/async/clock'
import { type Document, MongoServerError } from 'mongodb'
import { type ConfigMark, configStatement, isConfigChange } from '../apps/config-mark.ts'
import type { Db, Session } from '../db.ts'
import type { MessageDoc } from '../messages/documents.ts'
import { minuteMS, minuteOf } from '../minutes.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { newVersion } from '../rooms/version.ts'
import { runWrites } from '../transactions/run-writes.ts'
import { inTransaction } from '../transactions/transaction.ts'
import type { BufferedMessage } from './documents.ts'

export const roomFields = {
  app: 1,
  id: 1,
  seq: 1,
  clockMS: 1,
  lastMessageAtMS: 1,
  joinedAtMS: 1,
  status: 1,
  importing: 1,
  deletedAt: 1,
  deletedUpToSeq: 1,
  deletedUpToMS: 1,
  erasing: 1,
  version: 1,
  bufferBytes: 1,
  expiresInS: 1,
} satisfies Partial<Record<keyof RoomDoc, 1>>

export type RoomToSendTo = Pick<RoomDoc, '_id' | keyof typeof roomFields>

/** A fuller buffer accepts no messages until it is flushed. Far below MongoDB's document limit (16 MiB). */
export const maxBufferBytes = 2 * 1024 * 1024

interface Appended {
  message: MessageDoc
  sendKey?: string | undefined
  /** The message that this one replies to, for its event. */
  quoted?: MessageDoc | undefined
}

export interface RoomAppend {
  room: RoomToSendTo
  /** The room's next messages, ordered by seq. */
  messages: readonly Appended[]
  bytes: number
  /** The messages are written to `messages` in the same transaction (`appendStored`). */
  areStored: boolean
  /** Other gateways also send to the room, so MongoDB assigns seqs and times; those of the messages are provisional. */
  isShared: boolean
}

/**
 * Appends new messages to the buffers of their rooms, one statement per room. Journaled on a majority.
 * @param marks configuration marks of the apps; nothing is written if one has changed
 * @returns the number of rooms written; rooms that changed since they were read are not
 */
export async function appendToBuffers(
  db: Db,
  appends: readonly RoomAppend[],
  marks: readonly ConfigMark[],
): Promise<number> {
  const statements = [...marks.map(configStatement), ...appends.map(appendStatement)]
  const options = { inOrder: true, passOver: isConfigChange }
  return (await runWrites(db, 'update', db.rooms.collectionName, statements, 'durable', options)).matched
}

class NotAsKnown extends Error {
  override name = 'NotAsKnown'
}

/**
 * Writes large messages to `messages`, in one transaction that also advances their rooms, with the same checks as
 * `appendToBuffers`. The buffers get entries without content, for the other steps of the flush.
 * @returns the number of rooms written: all, or 0 if one changed since it was read
 */
export async function appendStored(
  db: Db,
  appends: readonly RoomAppend[],
  marks: readonly ConfigMark[],
): Promise<number> {
  const updates = [...marks.map(configStatement), ...appends.map(appendStatement)]
  const documents = appends.flatMap(({ messages }) => messages.map(({ message }) => message))
  try {
    const write = async (session: Session) => {
      const run = (command: Document): Promise<Document> => db.mongo.command({ ...command, ordered: true }, { session })
      const moved = await run({ update: db.rooms.collectionName, updates })
      if (moved['writeErrors']) throw toError(moved['writeErrors'][0])
      if (moved['n'] !== appends.length) throw new NotAsKnown('a room has changed')
      const inserted = await run({ insert: db.messages.collectionName, documents })
      if (inserted['writeErrors']) throw toError(inserted['writeErrors'][0])
    }
    const locks = appends.map(({ room }) => storedLock(room._id))
    await db.locks.run(locks, () => inTransaction(db, write))
    return appends.length
  } catch (error) {
    if (error instanceof NotAsKnown) return 0
    throw error
  }
}

export function storedLock(roomKey: string): string {
  return `stored ${roomKey}`
}

function toError(error: { code: number; errmsg: string }): Error {
  if (isConfigChange(error)) return new NotAsKnown('the configuration has changed')
  return new MongoServerError({ ...error, message: error.errmsg })
}

/**
 * Fences appends with an unknown result: appends still in flight no longer match the room's `version`. Appends that
 * were applied before are journaled on a majority when this returns.
 */
export async function fenceAppends(db: Db, appends: readonly RoomAppend[]): Promise<void> {
  const statements = appends.map(({ room }) => ({ q: { _id: room._id }, u: newVersion() }))
  if (statements.length > 0) await runWrites(db, 'update', db.rooms.collectionName, statements, 'durable')
}

/** Matches only if the room is unchanged since it was read, and its buffer is not full. */
function appendStatement(append: RoomAppend): Document {
  const { room, messages, areStored, isShared } = append
  const first = messages[0]?.message
  const last = messages.at(-1)?.message
  if (!first || !last) throw new Error('nothing to append')
  const entries = messages.map(({ message, sendKey }) => toBuffered(message, sendKey, areStored))
  return {
    q: {
      _id: room._id,
      // null matches a missing `version`.
      version: room.version ?? null,
      ...(!isShared && { seq: room.seq, clockMS: { $lt: first.createdAtMS } }),
      ...(!areStored && { bufferBytes: { $not: { $gte: maxBufferBytes } } }),
    },
    u: isShared ? appendAtNextSeqs(append, entries, first, last) : appendAtGivenSeqs(append, entries, first, last),
  }
}

type Ends = Pick<MessageDoc, '_id' | 'seq' | 'createdAtMS'>

function appendAtGivenSeqs({ bytes }: RoomAppend, entries: BufferedMessage[], first: Ends, last: Ends): Document {
  return {
    $set: {
      seq: last.seq,
      clockMS: last.createdAtMS,
      lastMessageID: last._id,
      lastMessageAtMS: last.createdAtMS,
      lastMinute: minuteOf(last.createdAtMS),
    },
    $min: { bufferSinceMS: Math.min(first.createdAtMS, clock.now()) },
    $inc: { bufferBytes: bytes },
    $push: { buffer: { $each: entries } },
  }
}

/** Appends after the room's current seq and clock. The messages keep their offsets from the first one. */
function appendAtNextSeqs(
  { room, bytes }: RoomAppend,
  entries: BufferedMessage[],
  first: Ends,
  last: Ends,
): Document[] {
  const offsets = entries.map((entry) => ({
    ...entry,
    seq: entry.seq - room.seq,
    createdAtMS: entry.createdAtMS - first.createdAtMS,
  }))
  const nowMS = clock.now()
  const firstMS = { $max: [nowMS, { $add: ['$clockMS', 1] }] }
  const lastMS = { $add: [firstMS, last.createdAtMS - first.createdAtMS] }
  const placed = {
    $mergeObjects: [
      '$$this',
      { seq: { $add: ['$seq', '$$this.seq'] }, createdAtMS: { $add: [firstMS, '$$this.createdAtMS'] } },
    ],
  }
  const placedEntries = { $map: { input: { $literal: offsets }, in: placed } }
  return [
    {
      $set: {
        seq: { $add: ['$seq', last.seq - room.seq] },
        clockMS: lastMS,
        lastMessageID: { $literal: last._id },
        lastMessageAtMS: lastMS,
        lastMinute: { $floor: { $divide: [lastMS, minuteMS] } },
        bufferSinceMS: { $min: ['$bufferSinceMS', nowMS] },
        bufferBytes: { $add: [{ $ifNull: ['$bufferBytes', 0] }, bytes] },
        buffer: { $concatArrays: [{ $ifNull: ['$buffer', []] }, placedEntries] },
      },
    },
  ]
}

/** The buffer entry of a message; without content if the message is stored. */
function toBuffered(message: MessageDoc, sendKey: string | undefined, isStored: boolean): BufferedMessage {
  const { app: _app, room: _room, roomKey: _roomKey, updatedAtMS: _updatedAtMS, ...rest } = message
  const entry: BufferedMessage = sendKey === undefined ? rest : { ...rest, sendKey }
  if (!isStored) return entry
  const { content: _content, mentions: _mentions, attachments: _attachments, ...light } = entry
  return { ...light, stored: true }
}
