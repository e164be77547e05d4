import type { ClientSession } from 'mongodb'
import type { Db } from '../connect.ts'
import type { MessageDoc } from '../messages/messages.ts'
import type { RoomDoc } from '../rooms/rooms.ts'
import { insertMissing, runWrites } from '../transactions/run-writes.ts'
import { countSettled, countStatements } from './count-settled.ts'
import { findTails, findUnsettledRooms, sendKeyOf, unsettledOf } from './tails.ts'

/**
 * Settling moves the messages of tails to where they stay. Each step may be done again, by anybody, in part or whole, and
 * changes nothing then. Only the pull needs the others before it: they are durable when they return, since the server may
 * crash between any two steps, and the next one succeed when it is back.
 */

/** Step 1: puts messages where they stay; one that is there already, and maybe changed since, stays as it is. */
export async function insertSettled(db: Db, messages: readonly MessageDoc[]): Promise<void> {
  if (messages.length === 0) return
  await insertMissing(db, db.messages.collectionName, messages)
}

/** Step 3, after step 1: notes the idempotency keys of settled messages. */
export async function noteSendKeys(db: Db, sent: readonly { message: MessageDoc; sendKey: string }[]): Promise<void> {
  if (sent.length === 0) return
  const keys = sent.map(({ message, sendKey }) => ({
    _id: sendKeyOf(message, sendKey),
    message: message._id,
    usedAt: new Date(message.createdAtMS),
  }))
  await insertMissing(db, db.sendKeys.collectionName, keys)
}

/** Which messages of a room leave its tail: by ranges of seq, the last included. */
export interface Pull {
  roomKey: string
  ranges: readonly { fromSeq: number; toSeq: number }[]
}

/** Step 4, when all the others are done and the bus has the events, or a note of them is written. */
export async function pullSettled(db: Db, pulls: readonly Pull[]): Promise<void> {
  const statements = pulls.map(({ roomKey, ranges }) => {
    const settled = ranges.map(({ fromSeq, toSeq }) => ({
      $and: [{ $gte: ['$$this.seq', fromSeq] }, { $lte: ['$$this.seq', toSeq] }],
    }))
    return {
      q: { _id: roomKey },
      u: [
        // A room always has its tail: what was in it once is pulled.
        { $set: { tail: { $filter: { input: { $ifNull: ['$tail', []] }, cond: { $not: [{ $or: settled }] } } } } },
        {
          $set: {
            tailSinceMS: { $ifNull: [{ $toLong: { $toDate: { $toObjectId: { $min: '$tail._id' } } } }, '$$REMOVE'] },
            tailBytes: { $cond: [{ $eq: ['$tail', []] }, 0, { $bsonSize: { tail: '$tail' } }] },
          },
        },
      ],
    }
  })
  if (statements.length > 0) await runWrites(db, 'update', db.rooms.collectionName, statements, 'soon')
}

/**
 * Does steps 1 and 2 for everything in the tails of rooms: reading `messages` afterwards finds all that was
 * acknowledged before. The tails stay: who appended pulls.
 */
export async function settleRooms(db: Db, keys: readonly string[]): Promise<void> {
  await settleTails(db, await findTails(db, keys))
}

/** The same for rooms that were read with their whole tails. */
export async function settleTails(db: Db, rooms: readonly RoomDoc[]): Promise<void> {
  await insertSettled(db, rooms.flatMap(unsettledOf))
  await countSettled(
    db,
    rooms.map((room) => ({ room, messages: room.tail ?? [] })),
  )
}

/** The same for all rooms of an app with messages that were sent before `beforeMS`. */
export async function settleApp(db: Db, app: string, beforeMS?: number): Promise<void> {
  await settleRooms(db, await findUnsettledRooms(db, { app, ...(beforeMS !== undefined && { beforeMS }) }))
}

/** The same for a room that was read, with its tail, inside a transaction that has written the room already. */
export async function settleInTransaction(db: Db, room: RoomDoc, session: ClientSession): Promise<void> {
  const { tail = [] } = room
  if (tail.length === 0) return
  // Without settledSeq, which the transaction has moved.
  const messages = unsettledOf({ ...room, settledSeq: 0 })
  const ids = messages.map(({ _id }) => _id)
  const there = await db.messages.find({ _id: { $in: ids } }, { session, projection: { _id: 1 } }).toArray()
  const known = new Set(there.map(({ _id }) => _id))
  const missing = messages.filter(({ _id }) => !known.has(_id))
  if (missing.length > 0) await db.messages.insertMany(missing, { session })
  for (const { q, u } of countStatements([{ room, messages: tail }])) await db.memberships.updateMany(q, u, { session })
}
