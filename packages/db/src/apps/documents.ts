import type { Scope } from '@parley/contracts/scopes'

/** An integrator's application, the tenant that owns all other data. */
export interface AppDoc {
  /** appID */
  _id: string
  clientKey: string
  apiKeys: ApiKeyDoc[]
  /** Signs outgoing webhooks (Standard Webhooks, `whsec_…`). */
  webhookSecret: string
  /** Former secrets, latest first, that also sign calls until `untilMS`. */
  formerWebhookSecrets?: { secret: string; untilMS: number }[]
  /** VAPID private key for Web Push (RFC 8292): a P-256 JWK as JSON text. */
  webPushKey?: string
  createdAt: Date
  /** Set while the app is being deleted. Its keys are no longer valid. */
  deletingSince?: Date
  /** Lease of a running `parley import`. */
  importing?: ImportLease
  /** The sweep that deletes expired messages. */
  retention: RetentionSweep
}

/** One top-level key of an app's configuration. */
export interface ConfigDoc {
  /** key(app, name) */
  _id: string
  app: string
  /** Any string: `__proto__`, `$where` and `a.b` are values here, never field names. */
  name: string
  /** The value as JSON text. */
  json: string
  /** New with every write, so that derived values can be cached. */
  version: string
  /** IDs of the issuers in `tokenIssuers`. An issuer that is removed and added again has a new one. */
  issuers?: { issuer: string; id: string }[]
}

export interface ApiKeyDoc {
  /** SHA-256 of the key, hexadecimal: the key itself is not stored. */
  digest: string
  /** Unique among the active keys of an app. */
  name?: string
  permissions: 'platform'[]
  /** Absent: all scopes, including those of later releases. */
  scopes?: Scope[]
  expiresAt?: Date
  /** Networks (CIDR) from which the key may be used; absent: all. */
  addresses?: string[]
  /** Requests per minute; overrides the default of all keys. */
  ratePerMinute?: number
  createdAt: Date
  /** Last use, to the minute. */
  lastUsedAt?: Date
  /** Set on a revoked key, which stays listed. */
  revokedAt?: Date
}

/** The lease of a running import: one per app. Uses the database's clock. */
export interface ImportLease {
  by: string
  until: Date
}

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
