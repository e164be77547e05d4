import type { Filter } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { checkFilesSoon } from '../files/files.ts'
import { moveFromBuckets, takeFromBuckets } from '../message-buckets/buckets.ts'
import type { SeqRange } from '../message-buckets/find-messages.ts'
import type { MessageDoc } from './documents.ts'

export interface MessageChange {
  set?: Partial<
    Pick<
      MessageDoc,
      'content' | 'messageType' | 'mentions' | 'reactions' | 'pinned' | 'edited' | 'recalled' | 'isDeleted'
    >
  >
  without?: readonly (
    | 'content'
    | 'mentions'
    | 'attachments'
    | 'reactions'
    | 'pinned'
    | 'push'
    | 'expiresAtMS'
    | 'heldExpiryMS'
    | 'streaming'
    | 'streamed'
  )[]
}

export const ofStream = ['streaming', 'streamed'] as const

/** A message that is deleted for all keeps its seq but loses its content. */
export const stub = {
  set: { isDeleted: true },
  without: ['content', 'mentions', 'attachments', 'reactions', 'pinned', 'expiresAtMS', 'heldExpiryMS', ...ofStream],
} as const satisfies MessageChange

export function withChange(message: MessageDoc, { set, without = [] }: MessageChange): MessageDoc {
  const changed = { ...message, ...set }
  for (const part of without) delete changed[part]
  return changed
}

/** Like changeMessages, for one message. */
export async function changeMessage(
  db: Db,
  message: MessageDoc,
  change: MessageChange,
  updatedAtMS: number,
  session: Session,
): Promise<MessageDoc> {
  const [changed = message] = await changeMessages(db, [message], () => change, updatedAtMS, session)
  return changed
}

/**
 * Changes at most `maxAtOneTime` messages of one app, in a transaction that has read them, and returns the changed messages.
 */
export async function changeMessages(
  db: Db,
  messages: readonly MessageDoc[],
  changeOf: (message: MessageDoc) => MessageChange,
  updatedAtMS: number,
  session: Session,
): Promise<MessageDoc[]> {
  const changed = messages.map((message) => ({ ...withChange(message, changeOf(message)), updatedAtMS }))
  const [first] = messages
  if (!first) return changed
  await takeFromBuckets(db, messages, session)
  const replace = changed.map((one) => ({
    replaceOne: { filter: { _id: one._id, roomKey: one.roomKey }, replacement: one, upsert: true },
  }))
  await db.messages.bulkWrite(replace, { session, ordered: false })
  const lost = messages.filter((_message, i) => !changed[i]?.attachments)
  const files = lost.flatMap(({ attachments = [] }) => attachments)
  await checkFilesSoon(db, first.app, files, session)
  return changed
}

/** Turns a range of messages into stubs. At most `maxAtOneTime`, since they all get the same time. */
export async function stubMessages(
  db: Db,
  roomKey: string,
  range: SeqRange,
  updatedAtMS: number,
  session: Session,
): Promise<void> {
  await moveFromBuckets(db, roomKey, range, session)
  const living = { roomKey, seq: { $gt: range.after, $lte: range.upTo }, isDeleted: { $ne: true as const } }
  await makeStubs(db, living, updatedAtMS, session)
}

/** Turns messages into stubs, unless they are stubs already. At most `maxAtOneTime`, as above. */
export async function stubMessagesByID(
  db: Db,
  ids: readonly string[],
  updatedAtMS: number,
  session: Session,
): Promise<void> {
  await makeStubs(db, { _id: { $in: [...ids] }, isDeleted: { $ne: true } }, updatedAtMS, session)
}

/** Turns messages into stubs, and schedules a check of their files. */
export async function makeStubs(
  db: Db,
  living: Filter<MessageDoc>,
  updatedAtMS: number,
  session: Session,
): Promise<void> {
  const projection = { _id: 0, app: 1, 'attachments.fileID': 1 }
  const sent = await db.messages.find({ ...living, attachments: { $exists: true } }, { projection, session }).toArray()
  for (const { app, attachments = [] } of sent) await checkFilesSoon(db, app, attachments, session)
  const $unset = Object.fromEntries(stub.without.map((field) => [field, 1 as const]))
  await db.messages.updateMany(living, { $set: { ...stub.set, updatedAtMS }, $unset }, { session })
}

/** Ends the streaming state of a message, and returns the message; null if it does not exist. */
export async function stopStreaming(db: Db, message: string, session: Session): Promise<MessageDoc | null> {
  const ended = { $unset: { streaming: 1, streamed: 1 } } as const
  await db.messages.updateOne({ _id: message }, ended, { session })
  return db.messages.findOne({ _id: message }, { session })
}
