/** Progress of a room, in the file and in the database. */
export interface WrittenRoom {
  /** Number of its messages in the file so far. */
  seq: number
  /** Their times in the file, in order. In the database, equal times are separated. */
  sentAtMS: number[]
  lastTimeMS: number
  /** Number of its messages in the database; -1 before the first read. */
  there: number
  /** New messages must be later than this: the last existing message, and any deletion of all messages. */
  afterMS: number
  /** The highest time of a message or change. */
  clockMS: number
}

export function newWrittenRoom(): WrittenRoom {
  return { seq: 0, sentAtMS: [], lastTimeMS: 0, there: -1, afterMS: 0, clockMS: 0 }
}
