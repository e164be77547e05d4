import type { Binary } from 'mongodb'

/** A background job, run by the process that holds its lease. */
export interface JobDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  kind: 'batch' | 'erasure' | 'export'
  state: 'running' | 'done' | 'failed'
  createdAtMS: number
  updatedAt: Date
  finishedAt?: Date
  /** Set when the job finishes; its result is kept for some days. */
  expiresAt?: Date
  total: number
  /** Progress; never decreases. The job resumes here. */
  done: number
  /** While running: the worker, the end of its lease, and the number of starts without progress. */
  worker?: string
  leaseUntilMS?: number
  attempts: number
  /** Of a running batch: the request body as JSON text, the sender's name for it, and the request ID. */
  batch?: { json: string; name: string; request: string }
  /** Of a batch: the results of the recipients done so far, in order. */
  outcomes?: JobOutcome[]
  /** While running: the user to erase or export. `erasing` is key(app, user), for an erasure. */
  user?: string
  erasing?: string
  /** Of an erasure: how to treat the messages, and the progress. */
  content?: 'redact' | 'delete'
  erased?: ErasedContent
  /** Of an erasure after a hold: the only rooms, which the user's erasure spared. */
  owed?: OwedRoom[]
  /**
   * Of an export: the file's ID, and whether the user requested it. While running: the ZIP entry and stored name of each
   * piece, and the position after them.
   */
  export?: { file: string; own?: true; pieces?: ExportPiece[]; position?: { stage: number; after?: string } }
}

/** Lines of an export in the file store. Pieces that the job does not list are a former worker's, and do not count. */
export interface ExportPiece {
  entry: string
  name: string
}

/** A room with messages of an erased user, who may be followed by another one with the same ID. */
export interface OwedRoom {
  room: string
  /** Time of the last message, by the room's clock. */
  upToMS: number
}

interface ErasedContent {
  messages?: number
  /** Keys of the rooms that legal holds protect. */
  spared?: string[]
  /** Rooms up to this key are done. */
  afterRoom?: string
}

/** The result of a batch for one recipient: the ID of the message, or the error. */
export type JobOutcome = { message: string; roomKey: string } | { error: { code: string; message: string } }

/** A static file of the chat page, of any release. */
export interface PageFileDoc {
  /** The file's name, which includes a digest of its content. */
  _id: string
  content: Binary
  expiresAt: Date
}

/** The last fetch of a linked page, per app. */
export interface LinkCardDoc {
  /** key(app, digest of the URL) */
  _id: string
  fetchedAt: Date
  /** Absent if the page had no title or could not be fetched. */
  card?: LinkCard
}

export interface LinkCard {
  title: string
  description?: string
  siteName?: string
  /** URL of a picture. */
  image?: string
}

/** Hashes of lines that imports of an app have written. */
export interface ImportedLinesDoc {
  /** key(app, a new ID) */
  _id: string
  /** 8 bytes per line. */
  hashes: Binary
}
