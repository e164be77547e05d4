/** A change made by a key, an operator or a command. Written once, never changed. */
export interface AuditDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  atMS: number
  /** `key:` and the fingerprint of an API key, `operator:` and the ID of an operator, or `command:` and what was called, such as `command:key add`. */
  actor: string
  /** The name of the key, the e-mail of the operator, or the user on the machine of the command. */
  actorName?: string
  /** The address of the caller, or the operator's machine. */
  address?: string
  /** The operation of the contract, or the command. */
  action: string
  /** `kind:ID`, such as `room:demo-room`. */
  subject: string
  /** JSON text, without secrets and texts of messages. */
  before?: string
  after?: string
  request?: string
  /** When it expires. */
  expiresAt: Date
}

/** A reference to an unsealed entry. */
export interface UnsealedDoc {
  /** The entry's. */
  _id: string
  app: string
}

/** A link of an app's chain: it names entries with their hashes, and the previous link. */
export interface AuditSealDoc {
  /** key(app, seq padded to ten digits): two processes cannot create the same link. */
  _id: string
  app: string
  /** 1, 2, 3… */
  seq: number
  /** The day (UTC) whose chain it belongs to, such as 2026-11-26. */
  day: string
  /** `hash` of the previous link; empty in the first. */
  previous: string
  entries: SealedEntry[]
  hash: string
  sealedAtMS: number
  /** After its entries, and after the previous link: links expire in their order. */
  expiresAt: Date
  /** When the previous link expires, from then on it may be missing; undefined in the first. */
  previousExpiresAtMS?: number
}

interface SealedEntry {
  id: string
  hash: string
  /** From then on it may be missing. */
  expiresAtMS: number
}
