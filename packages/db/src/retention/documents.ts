/** Progress of the sweep that removes an app's messages beyond their retention, room by room. */
export interface RetentionSweep {
  /** When the sweep is due, or its lease ends. */
  nextMS: number
  /** Start of the last sweep that reached every room. */
  sweptMS: number
  /** Of an unfinished sweep: its start, and the key of the last completed room. */
  begunMS?: number
  afterRoom?: string
  /** Holds were lifted: expired messages that they protected become due again. */
  wasLifted?: true
  /** A room failed in the unfinished sweep. */
  failed?: true
}
