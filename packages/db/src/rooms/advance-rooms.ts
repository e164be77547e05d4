import type { RoomDoc } from './documents.ts'

/** The fields of a room that a send needs. */
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

/** The effect of one batch of messages on a room. */
export interface RoomAdvance {
  /** The room as it was read, possibly outside the transaction. */
  room: RoomToSendTo
  seq: number
  clockMS: number
  lastMessageID: string
}
