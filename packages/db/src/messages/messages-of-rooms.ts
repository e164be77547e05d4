import type { Document } from 'mongodb'
import type { Db } from '../db.ts'
import { findTimePage, type TimePage } from '../find-page.ts'
import { idsOf } from '../keys.ts'
import { messagesOf } from '../message-buckets/buckets.ts'
import type { MessageBucketDoc } from '../message-buckets/documents.ts'
import { joined } from '../message-buckets/find-messages.ts'
import { unflushedOf } from '../room-buffer/buffer.ts'
import type { MessageDoc } from './documents.ts'

export type MessageHead = Omit<MessageDoc, 'content' | 'attachments' | 'mentions' | 'reactions'>

const withoutContents = { 'buffer.content': 0, 'buffer.attachments': 0, 'buffer.mentions': 0 } as const
const heads = { content: 0, attachments: 0, mentions: 0, reactions: 0 } as const
const bucketHeads = { 'messages.content': 0, 'messages.mentions': 0 } as const

/**
 * A page of the messages of several rooms, without contents and thread messages. Flushed messages come latest first,
 * then the unflushed ones. One index scan per room and collection.
 */
export async function findMessagesOfRooms(db: Db, roomKeys: readonly string[], page: TimePage): Promise<MessageHead[]> {
  if (roomKeys.length === 0) return []
  // Read buffers first: a message is flushed before it leaves its buffer.
  const rooms = await db.rooms
    .find({ _id: { $in: [...roomKeys] }, 'buffer.0': { $exists: true } }, { projection: withoutContents })
    .toArray()
  const inBuckets = await findInBuckets(db, roomKeys, page)
  // Read `messages` after the buckets: messages move from buckets to `messages`.
  const inRooms = { roomKey: { $in: [...roomKeys] } }
  const by = { time: 'createdAtMS', id: '_id' }
  const apart = await findTimePage(db.messages, inRooms, by, page, { projection: heads })
  const flushed = joined(inBuckets, apart).toSorted(latestFirst).slice(0, page.limit)
  const known = new Set(idsOf(flushed))
  const waiting = rooms.flatMap(unflushedOf).filter(({ _id }) => !known.has(_id))
  return [
    ...flushed,
    ...waiting.filter(({ createdAtMS }) => createdAtMS >= page.sinceMS && createdAtMS <= page.untilMS),
  ]
}

/** The bucketed messages of a page, and possibly earlier ones. */
async function findInBuckets(db: Db, roomKeys: readonly string[], page: TimePage): Promise<MessageDoc[]> {
  for (let max = 2; ; max *= 4) {
    const rooms = await db.rooms
      .aggregate<{ buckets: MessageBucketDoc[] }>([
        { $match: { _id: { $in: [...roomKeys] } } },
        { $project: { _id: 1 } },
        { $lookup: latestBuckets(db, page, max) },
      ])
      .toArray()
    const found = rooms.flatMap(({ buckets }) => buckets.flatMap(messagesOf).filter((message) => isIn(page, message)))
    const ends = rooms.flatMap(({ buckets }) => (buckets.length < max ? [] : (buckets.at(-1)?.firstMS ?? [])))
    // Earlier messages may be in buckets that were not read.
    const completeAfterMS = Math.max(-Infinity, ...ends)
    const complete = found.filter(({ createdAtMS }) => createdAtMS > completeAfterMS)
    if (ends.length === 0 || complete.length >= page.limit) return complete
  }
}

function latestBuckets(db: Db, { sinceMS, untilMS, before }: TimePage, max: number): Document {
  const lastMS = Math.min(untilMS, before?.atMS ?? untilMS)
  return {
    ...{ from: db.messageBuckets.collectionName, localField: '_id', foreignField: 'roomKey', as: 'buckets' },
    pipeline: [
      { $match: { firstMS: { $lte: lastMS }, lastMS: { $gte: sinceMS } } },
      { $sort: { firstMS: -1, number: -1 } },
      { $limit: max },
      { $project: bucketHeads },
    ],
  }
}

function isIn({ sinceMS, untilMS, before }: TimePage, message: MessageDoc): boolean {
  const { createdAtMS, _id } = message
  if (createdAtMS < sinceMS || createdAtMS > untilMS) return false
  return !before || createdAtMS < before.atMS || (createdAtMS === before.atMS && _id < before.id)
}

function latestFirst(a: MessageDoc, b: MessageDoc): number {
  return b.createdAtMS - a.createdAtMS || (a._id < b._id ? 1 : -1)
}
