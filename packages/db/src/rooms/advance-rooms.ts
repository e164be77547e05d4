import type { ClientSession } from 'mongodb'
import type { Db } from '../connect.ts'
import { StaleReadError } from '../transactions/transaction.ts'
import type { RoomDoc } from './rooms.ts'

/** What decides over the next messages of a room. */
export type RoomToSendTo = Pick<
  RoomDoc,
  | '_id'
  | 'app'
  | 'id'
  | 'seq'
  | 'clockMS'
  | 'status'
  | 'importing'
  | 'deletedAt'
  | 'deletedUpToSeq'
  | 'deletedUpToMS'
  | 'erasing'
  | 'rev'
  | 'tailBytes'
  | 'expiresInS'
>

/** The change of a room by one batch of messages. */
export interface RoomAdvance {
  /** The room as it was read, maybe outside the transaction. */
  room: RoomToSendTo
  seq: number
  clockMS: number
  lastMessageID: string
}

/**
 * Moves rooms forward by their new messages, inside the transaction that inserts these.
 * @throws StaleReadError when a field that decides about messages has changed since it was read
 */
export async function advanceRooms(db: Db, advances: readonly RoomAdvance[], session: ClientSession): Promise<void> {
  const { matchedCount } = await db.rooms.bulkWrite(
    advances.map(({ room, seq, clockMS, lastMessageID }) => ({
      updateOne: {
        filter: {
          _id: room._id,
          rev: room.rev ?? { $exists: false },
          seq: room.seq,
          clockMS: room.clockMS,
          status: room.status,
          deletedAt: { $exists: false },
          deletedUpToSeq: room.deletedUpToSeq ?? { $exists: false },
        },
        update: { $set: { seq, clockMS, lastMessageID, lastMessageAtMS: clockMS } },
      },
    })),
    { session, ordered: false },
  )
  if (matchedCount < advances.length) throw new StaleReadError('a room has changed')
}
