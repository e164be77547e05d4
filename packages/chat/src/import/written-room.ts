/** A room that gets messages: the progress of the file and of the database. */
export interface WrittenRoom {
  /** Messages of the file so far. */
  seq: number
  /** Their times in the file, in order: in the database, equal times were separated. */
  sentAtMS: number[]
  lastTimeMS: number
  /** Messages in the database; -1 before the first read. */
  there: number
  /** New messages are later than the last existing one, and than those deleted together. */
  afterMS: number
  /** The highest time of a message or change. */
  clockMS: number
}

export function newWrittenRoom(): WrittenRoom {
  return { seq: 0, sentAtMS: [], lastTimeMS: 0, there: -1, afterMS: 0, clockMS: 0 }
}
