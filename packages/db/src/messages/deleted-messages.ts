import type { Db, Session } from '../db.ts'
import type { RoomDoc } from '../rooms/documents.ts'
import { stub, withChange } from './change-messages.ts'
import type { MessageDoc } from './documents.ts'

/** The number of messages deleted for all individually since the whole room was last cleared. */
export async function countDeletedSince(db: Db, room: RoomDoc, session: Session): Promise<number> {
  const seq = { $gt: room.deletedUpToSeq ?? 0 }
  return db.messages.countDocuments({ roomKey: room._id, isDeleted: true, seq }, { session })
}

/** How far a room was cleared for all. */
export type Deletions = Pick<RoomDoc, 'deletedUpToSeq' | 'deletedUpToMS'>

/** Whether a message is deleted for all, individually or by clearing its room. */
export function isDeletedIn(
  message: Pick<MessageDoc, 'seq' | 'createdAtMS' | 'isDeleted' | 'threadOf'>,
  room: Deletions,
): boolean {
  if (message.isDeleted === true) return true
  // Thread messages have their own seq, but their times come from the room's clock.
  return message.threadOf === undefined
    ? message.seq <= (room.deletedUpToSeq ?? 0)
    : message.createdAtMS <= (room.deletedUpToMS ?? 0)
}

/** A message as clients see it: a stub as soon as the room is cleared up to it. */
export function currentMessage(message: MessageDoc, room: Deletions): MessageDoc {
  return isDeletedIn(message, room) ? withChange(message, stub) : message
}
