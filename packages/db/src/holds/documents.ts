/** A legal hold on a user's messages, or on a room. */
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

/** Written by every transaction that removes messages or places a hold, so that they conflict. */
export interface HoldMarkDoc {
  /** key(app, number) */
  _id: string
  count: number
}
