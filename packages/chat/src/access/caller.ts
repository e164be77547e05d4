import type { ApiKeyDoc } from '@parley/db/apps/documents'
import type { Allows } from './key-addresses.ts'

/** The caller of a use case: an end user, or the integrator of the app. */
export type Caller = UserCaller | IntegratorCaller

/** An end user of an app. */
export interface UserCaller {
  kind: 'user'
  app: string
  user: string
}

/** The integrator's own server, which is not bound by the roles of a room. */
export interface IntegratorCaller {
  kind: 'integrator'
  app: string
}

/** A user authenticated by a token. */
export interface AuthenticatedUser extends UserCaller {
  /** Names the token in revocations. */
  tokenDigest: string
  expiresAt: Date
}

/** An integrator's server that authenticated by an API key. */
export interface AuthenticatedIntegrator extends IntegratorCaller {
  /** Names the key in rate limits. */
  keyDigest: string
  key: Pick<ApiKeyDoc, 'name' | 'permissions' | 'scopes' | 'expiresAt' | 'addresses' | 'ratePerMinute'>
  /** Whether the key may be used from an address. */
  allows: Allows
}

/** For actions in a user's name without a token, as when the integrator writes for them. */
export function asUser(app: string, user: string): UserCaller {
  return { kind: 'user', app, user }
}

export function asIntegrator(app: string): IntegratorCaller {
  return { kind: 'integrator', app }
}

/** The acting user; undefined for the integrator. */
export function userOf(caller: Caller): string | undefined {
  return caller.kind === 'user' ? caller.user : undefined
}
