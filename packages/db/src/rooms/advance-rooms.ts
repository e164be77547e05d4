import type { RoomDoc } from './documents.ts'

/** The fields that decide the next messages of a room. */
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
  | 'version'
  | 'bufferBytes'
  | 'expiresInS'
>

/** The change of a room by one batch of messages. */
export interface RoomAdvance {
  /** The room as it was read, possibly outside the transaction. */
  room: RoomToSendTo
  seq: number
  clockMS: number
  lastMessageID: string
}
