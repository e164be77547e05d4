import type { ClientSession, IndexDescription } from 'mongodb'
import { type ConfigMark, configStatement, isConfigChange } from '../apps/config-mark.ts'
import type { Db } from '../connect.ts'
import { key } from '../keys.ts'
import type { MessageDoc } from '../messages/messages.ts'
import { revStep } from '../rooms/rev-step.ts'
import type { RoomDoc } from '../rooms/rooms.ts'
import { runWrites } from '../transactions/run-writes.ts'
import { appendStatement, type TailAppend } from './append-statement.ts'

/**
 * A new message as the document of its room holds it until it is settled (settle-tails.ts): less what the room says of
 * it. Its updated time is that of its creation.
 */
export interface TailMessage extends Omit<MessageDoc, 'app' | 'room' | 'roomKey' | 'updatedAtMS'> {
  /** Its idempotency key, as the sender gave it. */
  sendKey?: string
  /** It has been in `messages` from the beginning, with all that this lacks. */
  stored?: true
}

/** What a room's document has of its newest messages. */
export interface Tail {
  /** In the order of seq. A message may be in `messages` already: then that is what counts. */
  tail?: TailMessage[]
  /**
   * When the first of them was sent, by the clock of the process that appended it, or, to the second, of its ID: that of the
   * room (`clockMS`) may be far ahead. Absent with an empty tail.
   */
  tailSinceMS?: number
  /** Every message up to this seq is in `messages`, whatever the tail still says of it: it may have been changed since. */
  settledSeq?: number
  /** About as many bytes as the tail is long, or more. */
  tailBytes?: number
}

export const tailIndexes: IndexDescription[] = [
  { key: { tailSinceMS: 1 }, partialFilterExpression: { tailSinceMS: { $exists: true } } },
]

/** Projection of a room without its tail. */
export const withoutTail = { tail: 0 } as const

/**
 * Appends new messages to the tails of their rooms: one statement per room. Journaled on a majority.
 * @param marks what the configuration of the apps was: nothing is written where one has changed
 * @returns how many rooms were as they were read
 */
export async function appendToTails(
  db: Db,
  appends: readonly TailAppend[],
  marks: readonly ConfigMark[],
): Promise<number> {
  const statements = [...marks.map(configStatement), ...appends.map(appendStatement)]
  const options = { inOrder: true, passOver: isConfigChange }
  return runWrites(db, 'update', db.rooms.collectionName, statements, 'durable', options)
}

/** A message of a tail as it will be in `messages`. */
export function fromTail({ app, id, _id }: Pick<RoomDoc, 'app' | 'id' | '_id'>, message: TailMessage): MessageDoc {
  const { sendKey: _sendKey, stored: _stored, ...rest } = message
  return { app, room: id, roomKey: _id, updatedAtMS: message.createdAtMS, ...rest }
}

/** The messages of the tail that may not be in `messages`, as they will be there; of a room that was read with its tail. */
export function unsettledOf(room: Pick<RoomDoc, 'app' | 'id' | '_id' | 'tail' | 'settledSeq'>): MessageDoc[] {
  const { tail = [], settledSeq = 0 } = room
  return tail.filter(({ seq, stored }) => seq > settledSeq && !stored).map((message) => fromTail(room, message))
}

/** The room, whose tail says of each message who sent it (`_id`, `seq`, `sender`). */
export async function findRoomHeads(db: Db, app: string, id: string, session: ClientSession): Promise<RoomDoc | null> {
  const projection = { 'tail.content': 0, 'tail.mentions': 0 }
  return db.rooms.findOne({ _id: key(app, id) }, { projection, session })
}

export async function findRoomWithTail(
  db: Db,
  app: string,
  id: string,
  session?: ClientSession,
): Promise<RoomDoc | null> {
  return db.rooms.findOne({ _id: key(app, id) }, { ...(session && { session }) })
}

/** The rooms with their whole tails, if they have any. */
export async function findTails(db: Db, keys: readonly string[], session?: ClientSession): Promise<RoomDoc[]> {
  if (keys.length === 0) return []
  return db.rooms
    .find({ _id: { $in: [...keys] }, 'tail.0': { $exists: true } }, { ...(session && { session }) })
    .toArray()
}

/** What the rooms' tails say of each message beside its content. */
export async function findTailHeads(
  db: Db,
  keys: readonly string[],
): Promise<Pick<RoomDoc, '_id' | 'deletedUpToSeq' | 'tail'>[]> {
  if (keys.length === 0) return []
  return db.rooms
    .find({ _id: { $in: [...keys] } }, { projection: { deletedUpToSeq: 1, 'tail.seq': 1, 'tail.sender': 1 } })
    .toArray()
}

/** Rooms with messages in their tails that were sent before `beforeMS`; with `app`, of that app. */
export async function findUnsettledRooms(
  db: Db,
  { beforeMS = Number.MAX_SAFE_INTEGER, app, limit = 0 }: { beforeMS?: number; app?: string; limit?: number },
): Promise<string[]> {
  const rooms = await db.rooms
    .find({ tailSinceMS: { $lt: beforeMS }, ...(app !== undefined && { app }) }, { projection: { _id: 1 } })
    .hint({ tailSinceMS: 1 })
    .limit(limit)
    .toArray()
  return rooms.map(({ _id }) => _id)
}

/** ID of the room of a message that is in some tail of the app. */
export async function findRoomOfTailMessage(db: Db, app: string, message: string): Promise<string | undefined> {
  const unsettled = { tailSinceMS: { $gt: 0 }, app, 'tail._id': message }
  const room = await db.rooms.findOne(unsettled, { hint: { tailSinceMS: 1 }, projection: { id: 1 } })
  return room?.id
}

/**
 * Ends appends whose outcome is not known: one that is still on its way finds a room with another `rev`. What has arrived
 * before is journaled on a majority then.
 */
export async function fenceAppends(db: Db, appends: readonly TailAppend[]): Promise<void> {
  const statements = appends.map(({ room }) => ({ q: { _id: room._id }, u: { $inc: { rev: revStep() } } }))
  if (statements.length > 0) await runWrites(db, 'update', db.rooms.collectionName, statements, 'durable')
}

/**
 * Which of these messages their rooms have, in the tail or settled.
 * @param most how many it can be, where that is known
 */
export async function findArrived(
  db: Db,
  messages: readonly Pick<MessageDoc, '_id' | 'roomKey'>[],
  most = messages.length,
): Promise<Set<string>> {
  const ids = messages.map(({ _id }) => _id)
  const roomKeys = messages.map(({ roomKey }) => roomKey)
  // The tails first: what leaves them meanwhile is in `messages` before.
  const rooms = await db.rooms.find({ _id: { $in: roomKeys } }, { projection: { 'tail._id': 1 } }).toArray()
  const tails = new Set(rooms.flatMap(({ tail = [] }) => tail.map(({ _id }) => _id)))
  const inTails = ids.filter((id) => tails.has(id))
  if (inTails.length === most) return new Set(inTails)
  const settled = await db.messages.find({ _id: { $in: ids } }, { projection: { _id: 1 } }).toArray()
  return new Set([...inTails, ...settled.map(({ _id }) => _id)])
}

/**
 * Settles when everything that can be read now is journaled on a majority: a write that changes nothing waits for all
 * before it. A read of what a majority has would not do: a new primary may not know yet what that is.
 */
export async function untilDurable(db: Db): Promise<void> {
  await runWrites(db, 'update', db.rooms.collectionName, [{ q: { _id: '' }, u: { $set: { seq: 0 } } }], 'durable')
}

/** How many of the member's own messages in the room's tail are not in `uncounted` yet, beyond those they have read. */
export function ownUnsettled(
  { readSeq, settledSeq = 0 }: { readSeq: number; settledSeq?: number },
  seqs: readonly number[],
): number {
  return seqs.filter((seq) => seq > Math.max(readSeq, settledSeq)).length
}

/** Expression for a projection of rooms: `own`, the seqs of a user's messages in the tail. */
export function ownSeqs(user: string): { own: object } {
  const own = { $filter: { input: '$tail', cond: { $eq: ['$$this.sender', { $literal: user }] } } }
  return { own: { $ifNull: [{ $map: { input: own, in: '$$this.seq' } }, []] } }
}

/** key(app, sender, sendKey, room): how a message that went through a tail is found by its idempotency key. */
export function sendKeyOf({ app, room, sender }: Pick<MessageDoc, 'app' | 'room' | 'sender'>, sendKey: string): string {
  return key(app, sender, sendKey, room)
}
