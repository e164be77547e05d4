import type { OperatorRoles } from '@parley/contracts/resources/operator'

/** An account of the console (docs/reference/console.md). */
export interface OperatorDoc {
  _id: string
  /** Lower case. */
  email: string
  name: string
  roles: OperatorRoles
  /** Argon2id, with its salt and cost. */
  passwordHash?: string
  totp?: TotpDoc
  /** Base32, while an authenticator is being set up. */
  totpBegun?: string
  passkeys?: PasskeyDoc[]
  /** The account at the identity provider, since the first sign-in with it. */
  sso?: { issuer: string; subject: string }
  /** The roles come from the identity provider at each sign-in. */
  rolesBySso?: true
  link?: { digest: string; expiresAt: Date }
  /** Raised by a change that ends earlier sessions. */
  version: number
  createdAt: Date
  lastSignInAt?: Date
}

interface TotpDoc {
  /** Base32 */
  secret: string
  /** The period (30 s, counted from 1970) of the last accepted code: none is accepted twice. */
  lastStep: number
  /** Digests of the recovery codes that are left. */
  recovery?: string[]
}

/** A passkey (WebAuthn credential) of an operator. */
export interface PasskeyDoc {
  /** The credential ID, base64url. */
  id: string
  /** COSE, base64url */
  publicKey: string
  /** The domain that it was made for. */
  rpId: string
  /** Signatures so far; 0 where the authenticator does not count. */
  counter: number
  isSynced: boolean
  name: string
  createdAt: Date
  lastUsedAt?: Date
}

/** A challenge given out to an authenticator, for one use. */
export interface PasskeyChallengeDoc {
  /** SHA-256 digest of the challenge. */
  _id: string
  /** The operator who adds a passkey; absent for a sign-in. */
  operator?: string
  expiresAt: Date
}

/** A signed-in browser of an operator. */
export interface OperatorSessionDoc {
  /** SHA-256 digest of the cookie. */
  _id: string
  operator: string
  /** The operator's at the sign-in. */
  version: number
  by: 'password' | 'link' | 'sso' | 'passkey'
  address: string
  userAgent: string
  createdAt: Date
  lastSeenAt: Date
  /** However much it is used. */
  endsAt: Date
  /** When it ends unless it is used, `endsAt` at the latest. */
  expiresAt: Date
}

/** Failed sign-ins of an account, known or not, or of an address. */
export interface SignInFailuresDoc {
  /** `account` or `address`, and the digest of the e-mail or the block of addresses. */
  _id: string
  failures: number
  waitUntil: Date
  /** Whether the last attempt came before the wait was over. */
  isEarly: boolean
  expiresAt: Date
}
