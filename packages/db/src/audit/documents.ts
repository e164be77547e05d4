/** A change made by a key, an operator or a command. Written once, never changed. */
export interface AuditDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  atMS: number
  /** `key:<fingerprint of an API key>`, `operator:<operator ID>` or `command:<command>`, such as `command:key add`. */
  actor: string
  /** The name of the key, the e-mail of the operator, or the OS user who ran the command. */
  actorName?: string
  /** The caller's IP address, or the operator's machine. */
  address?: string
  /** The operation of the contract, or the command. */
  action: string
  /** `kind:ID`, such as `room:demo-room`. */
  subject: string
  /** JSON text, without secrets or message texts. */
  before?: string
  after?: string
  request?: string
  expiresAt: Date
}

export interface UnsealedDoc {
  /** `_id` of the entry. */
  _id: string
  app: string
}

/** A link of an app's hash chain: the hashes of its entries and of the previous link. */
export interface AuditSealDoc {
  /** key(app, seq padded to ten digits): two processes cannot create the same link. */
  _id: string
  app: string
  /** 1, 2, 3… */
  seq: number
  /** The UTC day of the chain, such as 2026-11-26. */
  day: string
  /** `hash` of the previous link; empty in the first. */
  previous: string
  entries: SealedEntry[]
  hash: string
  sealedAtMS: number
  /** Later than `expiresAt` of its entries and of the previous link, so links expire in order. */
  expiresAt: Date
  /** The previous link may be missing from this time on; undefined in the first link. */
  previousExpiresAtMS?: number
}

interface SealedEntry {
  id: string
  hash: string
  /** The entry may be missing from this time on. */
  expiresAtMS: number
}
