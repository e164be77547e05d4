/** Progress of the sweep over the rooms of an app that removes messages beyond their retention. */
export interface RetentionSweep {
  /** When a process may take it: at its time, or when the lease of its taker ends. */
  nextMS: number
  /** When the last sweep that reached every room began. */
  sweptMS: number
  /** Of an unfinished sweep: when it began, and the key of the last room that it has done. */
  begunMS?: number
  afterRoom?: string
  /** Holds were lifted: expired messages that they spared become due again. */
  wasLifted?: true
  /** Of an unfinished sweep: a room failed. */
  failed?: true
}
