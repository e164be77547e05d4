import type { OwedRoom } from '../documents.ts'

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
  /** Content that erasures have spared because of this hold: erased when no hold covers it any more. */
  owed?: OwedErasure[]
}

export interface OwedErasure extends OwedRoom {
  job: string
  user: string
  content: 'redact' | 'delete'
}

/** Written by every transaction that removes messages or places a hold, so that they conflict. */
export interface HoldMarkDoc {
  /** key(app, number) */
  _id: string
  count: number
}
