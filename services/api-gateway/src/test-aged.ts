import { sweepNextApp } from '@parley/chat/retention/sweep-rooms'
import { key } from '@parley/db/keys'
import type { TestGateway } from './test-gateway.ts'

const dayMS = 24 * 60 * 60 * 1_000

/** Makes the first messages of a room, or others by ID, older by this many days, behind Parley's back. */
export async function makeOlder(
  { app, chat: { db, flusher } }: TestGateway,
  room: string,
  { upToSeq, days, others = [] }: { upToSeq: number; days: number; others?: readonly string[] },
): Promise<void> {
  await flusher.drained()
  const byMS = days * dayMS
  const isOld = { $and: [{ $lte: ['$$this.seq', upToSeq] }, { $gt: ['$$this._id', null] }] }
  const older = { $mergeObjects: ['$$this', { createdAtMS: { $subtract: ['$$this.createdAtMS', byMS] } }] }
  const messages = { $map: { input: '$messages', in: { $cond: [isOld, older, '$$this'] } } }
  const roomKey = key(app, room)
  await db.messageBuckets.updateMany({ roomKey }, [{ $set: { messages, firstMS: { $subtract: ['$firstMS', byMS] } } }])
  await db.messages.updateMany(
    { roomKey, seq: { $lte: upToSeq } },
    { $inc: { createdAtMS: -byMS, updatedAtMS: -byMS } },
  )
  await db.messages.updateMany({ _id: { $in: [...others] } }, { $inc: { createdAtMS: -byMS } })
  await db.rooms.updateOne({ _id: roomKey }, { $unset: { oldestAtMS: 1 } })
}

/** Runs every sweep that is due. */
export async function sweepAll({ chat }: TestGateway): Promise<void> {
  while (await sweepNextApp(chat, new AbortController().signal)) continue
  await chat.outbox.drained()
}
