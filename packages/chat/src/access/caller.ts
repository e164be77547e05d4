import type { ApiKeyDoc } from '@parley/db/apps/documents'
import type { OperatorDoc, OperatorSessionDoc } from '@parley/db/operators/documents'
import type { Allows } from './key-addresses.ts'

export type Caller = UserCaller | IntegratorCaller

export interface UserCaller {
  kind: 'user'
  app: string
  user: string
}

/** The integrator's server, which is not bound by room roles. */
interface IntegratorCaller {
  kind: 'integrator'
  app: string
}

export interface AuthenticatedUser extends UserCaller {
  /** Identifies the token in revocations. */
  tokenDigest: string
  expiresAt: Date
  /** Whether it comes from the app's own login, whose issuer then issues the next token. */
  isOwnLogin: boolean
}

/** An integrator's server authenticated by an API key, or an operator calling in its place. */
export type AuthenticatedIntegrator = AuthenticatedKey | AuthenticatedOperator

interface WithRights extends IntegratorCaller {
  /** The rights of the key, or of the operator's role in the app. */
  key: Pick<ApiKeyDoc, 'name' | 'permissions' | 'scopes' | 'expiresAt' | 'addresses' | 'ratePerMinute'>
}

export interface AuthenticatedKey extends WithRights {
  /** Identifies the key in rate limits. */
  keyDigest: string
  allows: Allows
}

/** An operator of the console, in the app that a request names. */
export interface AuthenticatedOperator extends WithRights {
  operator: Pick<OperatorDoc, '_id' | 'email'>
  session: Pick<OperatorSessionDoc, '_id' | 'createdAt'>
}

/** Acts as a user without a token, for example when the integrator writes on their behalf. */
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
