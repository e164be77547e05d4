import type { Binary } from 'mongodb'

/** Work that continues without the request that began it, in the process that holds its lease. */
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
  /** Set at its end: it is kept for some days. */
  expiresAt?: Date
  total: number
  /** Progress, which only grows: work resumes here. */
  done: number
  /** While it runs: its worker, the end of the lease, and the number of starts without progress. */
  worker?: string
  leaseUntilMS?: number
  attempts: number
  /**
   * Of a running batch: the request's body as JSON text, its name among its sender's, and the ID of the request.
   */
  batch?: { json: string; name: string; request: string }
  /** Of a batch: the results of its first recipients, in order. */
  outcomes?: JobOutcome[]
  /** While it runs: the erased or exported user. For an erasure also as key(app, user). */
  user?: string
  erasing?: string
  /** Of an erasure: the fate of messages, and its progress. */
  content?: 'redact' | 'delete'
  erased?: ErasedContent
  /** Of an export: the ID of its file; whether the user has asked for it; while it runs, the entry of each piece, and the place after them. */
  export?: { file: string; own?: true; pieces?: string[]; place?: { stage: number; after?: string } }
}

/** How far the content of an erased user has gone. */
interface ErasedContent {
  messages?: number
  /** Keys of the rooms that holds spared. */
  spared?: string[]
  /** The rooms up to this key are done. */
  afterRoom?: string
}

/** The result of a batch for one recipient: the ID of the message, or the error. */
export type JobOutcome = { message: string; roomKey: string } | { error: { code: string; message: string } }

/** A file of the chat page of any release. */
export interface PageFileDoc {
  /** Its name, with a digest of its content. */
  _id: string
  content: Binary
  expiresAt: Date
}

/** The result of the last fetch of a linked page, for one app. */
export interface LinkCardDoc {
  /** key(app, digest of the URL) */
  _id: string
  fetchedAt: Date
  /** Absent if the page had no title or could not be fetched. */
  card?: LinkCard
}

/** Describes a linked page. */
export interface LinkCard {
  title: string
  description?: string
  siteName?: string
  /** URL of a picture. */
  image?: string
}
