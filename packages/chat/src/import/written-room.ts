/** A room that gets messages: how far the file and the database are. */
export interface WrittenRoom {
  /** Messages of the file so far. */
  seq: number
  /** When they were sent as the file says, in order: in the database those of one time got times of their own. */
  sentAtMS: number[]
  lastTimeMS: number
  /** Messages in the database; -1 before the first look. */
  there: number
  /** New messages are later than the last one there, and than those that were deleted together. */
  afterMS: number
  /** The highest time of a message or change. */
  clockMS: number
}

export function newWrittenRoom(): WrittenRoom {
  return { seq: 0, sentAtMS: [], lastTimeMS: 0, there: -1, afterMS: 0, clockMS: 0 }
}
