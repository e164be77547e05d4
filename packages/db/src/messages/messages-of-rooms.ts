import type { Db } from '../db.ts'
import { inTimePage, type TimePage } from '../page-place.ts'
import { unflushedOf } from '../room-buffer/buffer.ts'
import type { MessageDoc } from './documents.ts'

/** A message without its content and what belongs to it. */
export type MessageHead = Omit<MessageDoc, 'content' | 'attachments' | 'mentions' | 'reactions'>

const withoutContents = { 'buffer.content': 0, 'buffer.attachments': 0, 'buffer.mentions': 0 } as const
const heads = { content: 0, attachments: 0, mentions: 0, reactions: 0 } as const

/**
 * A page of the messages of rooms, the latest first, without contents and without threads: one index, read once for each
 * room.
 */
export async function findMessagesOfRooms(db: Db, roomKeys: readonly string[], page: TimePage): Promise<MessageHead[]> {
  if (roomKeys.length === 0) return []
  // Buffers first: a message is in `messages` before it leaves its buffer.
  const rooms = await db.rooms
    .find({ _id: { $in: [...roomKeys] }, 'buffer.0': { $exists: true } }, { projection: withoutContents })
    .toArray()
  const flushed = await db.messages
    .find({ roomKey: { $in: [...roomKeys] }, ...inTimePage(page, { time: 'createdAtMS', id: '_id' }) })
    .project<MessageHead>(heads)
    .sort({ createdAtMS: -1, _id: -1 })
    .limit(page.limit)
    .toArray()
  const known = new Set(flushed.map(({ _id }) => _id))
  const waiting = rooms.flatMap(unflushedOf).filter(({ _id }) => !known.has(_id))
  return [
    ...flushed,
    ...waiting.filter(({ createdAtMS }) => createdAtMS >= page.sinceMS && createdAtMS <= page.untilMS),
  ]
}
