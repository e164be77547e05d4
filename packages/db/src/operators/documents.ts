import type { OperatorRoles } from '@parley/contracts/resources/operator'

export interface OperatorDoc {
  _id: string
  /** Lower case. */
  email: string
  name: string
  roles: OperatorRoles
  /** Argon2id, with its salt and cost. */
  passwordHash?: string
  totp?: TotpDoc
  /** The secret (base32) while an authenticator is being set up. */
  totpBegun?: string
  passkeys?: PasskeyDoc[]
  /** The account at the identity provider; set at the first sign-in with it. */
  sso?: { issuer: string; subject: string }
  /** The identity provider sets the roles at each sign-in. */
  rolesBySso?: true
  link?: { digest: string; expiresAt: Date }
  /** Incremented by changes that end earlier sessions. */
  version: number
  createdAt: Date
  lastSignInAt?: Date
}

interface TotpDoc {
  /** Base32 */
  secret: string
  /** Time step (30 s, since 1970) of the last accepted code, so that no code is accepted twice. */
  lastStep: number
  /** Digests of the unused recovery codes. */
  recovery?: string[]
}

export interface PasskeyDoc {
  /** The credential ID, base64url. */
  id: string
  /** COSE, base64url */
  publicKey: string
  /** The relying party's domain. */
  rpId: string
  /** Signature counter; 0 if the authenticator has none. */
  counter: number
  isSynced: boolean
  name: string
  createdAt: Date
  lastUsedAt?: Date
}

export interface PasskeyChallengeDoc {
  /** SHA-256 digest of the challenge. */
  _id: string
  /** The operator who adds a passkey; absent for a sign-in. */
  operator?: string
  expiresAt: Date
}

export interface OperatorSessionDoc {
  /** SHA-256 digest of the cookie. */
  _id: string
  operator: string
  /** The operator's `version` at sign-in. */
  version: number
  by: 'password' | 'link' | 'sso' | 'passkey'
  address: string
  userAgent: string
  createdAt: Date
  lastSeenAt: Date
  /** Absolute timeout. */
  endsAt: Date
  /** Idle timeout, extended by use up to `endsAt`. */
  expiresAt: Date
}

/** Failed sign-ins per account, existing or not, and per address block. */
export interface SignInFailuresDoc {
  /** `account` or `address`, and the digest of the e-mail or the address block. */
  _id: string
  failures: number
  waitUntil: Date
  /** Whether the last attempt came before `waitUntil`. */
  isEarly: boolean
  expiresAt: Date
}
