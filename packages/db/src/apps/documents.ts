import type { Scope } from '@parley/contracts/scopes'
import type { ImportLease } from '../import/documents.ts'
import type { RetentionSweep } from '../retention/documents.ts'

/** An integrator's application: everything belongs to one. */
export interface AppDoc {
  /** appID */
  _id: string
  clientKey: string
  apiKeys: ApiKeyDoc[]
  /** Signs outgoing webhooks (Standard Webhooks, `whsec_…`). */
  webhookSecret: string
  /** Earlier ones, which also sign calls until that time (Unix milliseconds), the latest first. */
  formerWebhookSecrets?: { secret: string; untilMS: number }[]
  /** Of Web Push (VAPID, RFC 8292): the private key as a JWK of P-256, as JSON text. */
  webPushKey?: string
  createdAt: Date
  /** Set while it is being deleted: its keys are no longer valid. */
  deletingSince?: Date
  /** `parley import` works on it. */
  importing?: ImportLease
  /** The sweep that removes its old messages. */
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
  /** New with every write, so that values derived from it can be cached. */
  version: string
}

export interface ApiKeyDoc {
  /** SHA-256 of the key, hexadecimal: the key itself is not stored. */
  digest: string
  /** Unique among the active keys of an app; absent on keys from before names existed. */
  name?: string
  permissions: ApiPermission[]
  /** Its rights; absent: everything, also the scopes of later releases. */
  scopes?: Scope[]
  /** When it expires. */
  expiresAt?: Date
  /** Networks (CIDR) that it may be used from; absent: all. */
  addresses?: string[]
  /** Requests per minute, in place of the rate of all keys. */
  ratePerMinute?: number
  createdAt: Date
  /** Last use, to the minute. */
  lastUsedAt?: Date
  /** Set on a revoked key, which stays listed. */
  revokedAt?: Date
}

type ApiPermission = 'platform'
