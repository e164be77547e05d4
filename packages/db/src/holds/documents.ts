/** A legal hold on what a user wrote, or on a room. */
export interface HoldDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  user?: string
  room?: string
  /** coverOf the user or the room. */
  covers: string
  reason: string
  createdAtMS: number
}

/** Written by whatever removes messages and whatever places holds, so that the two exclude each other. */
export interface HoldMarkDoc {
  /** key(app, number) */
  _id: string
  count: number
}
