import { hasScope } from '@parley/chat/access/api-keys'
import type { ApiKeyAuthentication } from '@parley/chat/access/authenticate-api-key'
import type { UserCredentials } from '@parley/chat/access/authenticate-user'
import type { AuthenticatedIntegrator, AuthenticatedUser } from '@parley/chat/access/caller'
import type { SignedInOperator } from '@parley/chat/operators/sessions'
import { ApiError, type ErrorCode } from '@parley/contracts/errors'
import type { Access, AuditedInput, Operation } from '@parley/contracts/operation'
import type { KeyScope } from '@parley/contracts/scopes'
import type { FastifyRequest } from 'fastify'
import {
  type FindInApp,
  type FindSession,
  isByOperator,
  operatorInApp,
  reasonRefusal,
  signedInOperator,
} from '../console/operator-caller.ts'
import { headerForms } from './header-forms.ts'

export type AuthenticatedCaller = AuthenticatedIntegrator | AuthenticatedUser | SignedInOperator

/** The caller of an operation with this access. */
export type CallerOf<A extends Access> = A extends 'admin' | 'platform'
  ? AuthenticatedIntegrator
  : A extends 'client-or-admin'
    ? AuthenticatedIntegrator | AuthenticatedUser
    : A extends 'operator'
      ? SignedInOperator
      : A extends 'anyone'
        ? undefined
        : AuthenticatedUser

export interface Authentication {
  byApiKey: ApiKeyAuthentication
  byToken: (credentials: UserCredentials) => Promise<AuthenticatedUser>
  bySession: FindSession
  inApp: FindInApp
}

/** @throws ApiError INVALID_API_KEY, INVALID_CLIENT_KEY, INVALID_TOKEN, INVALID_SESSION, PERMISSION_DENIED */
export async function authenticate(
  authentication: Authentication,
  access: Access,
  request: FastifyRequest,
): Promise<AuthenticatedCaller | undefined> {
  switch (access) {
    case 'admin':
    case 'platform':
      return isByOperator(request)
        ? operatorInApp(authentication, request)
        : authenticateApiKey(authentication, request)
    case 'client':
    case 'client-with-id':
      return authenticateToken(authentication, request)
    case 'client-or-admin':
      if (isByOperator(request)) return operatorInApp(authentication, request)
      return isWithApiKey(request)
        ? authenticateApiKey(authentication, request)
        : authenticateToken(authentication, request)
    case 'operator':
      return signedInOperator(authentication.bySession, request)
    case 'anyone':
      return undefined
  }
}

/** Of the paths for either, the interface counts this one among those for API keys. */
const pathForKeys = '/config'

/**
 * Some clients send every header with every request: an empty key beside a user's headers counts as absent. Without any
 * credentials, the API key is missing where the path is for keys, and the client key elsewhere.
 */
function isWithApiKey({ headers, routeOptions: { url } }: FastifyRequest): boolean {
  const { 'im-api-key': apiKey, 'im-client-key': clientKey, 'im-authorization': token } = headers
  if (apiKey || clientKey) return Boolean(apiKey)
  return apiKey !== undefined || (url === pathForKeys && !token)
}

/** Endpoints with bare errors use UNAUTHORIZED for a bad API key (docs/errors.md#unauthorized). */
export function asBareCode(error: ApiError): ApiError {
  return error.code === 'INVALID_API_KEY' ? new ApiError('UNAUTHORIZED', error.message) : error
}

/** Whether the response to this request has no RC/RM envelope. */
export function isBare(operation: Operation, body: unknown): boolean {
  return operation.form === 'bare' || (operation.isBare?.(body) ?? false)
}

/** The caller of an API key. @throws ApiError INVALID_API_KEY */
export function authenticateApiKey(
  { byApiKey }: Pick<Authentication, 'byApiKey'>,
  request: FastifyRequest,
): Promise<AuthenticatedIntegrator> {
  return findByHeader(request, { name: 'IM-API-KEY', code: 'INVALID_API_KEY' }, (apiKey) => byApiKey.find(apiKey))
}

/** The caller without a query, if cached: an API key of the last second. */
export function cachedCaller(
  { byApiKey }: Authentication,
  access: Access,
  request: FastifyRequest,
): AuthenticatedCaller | undefined {
  if (access !== 'admin') return undefined
  const [apiKey] = headerForms(request, 'im-api-key')
  return apiKey === undefined ? undefined : byApiKey.remembered(apiKey)
}

/** Why a known caller is refused; not counted as a failed login of the address. */
export function callerRefusal(
  operation: Pick<Operation, 'access' | 'scope' | 'scopesByKind' | 'conversations'>,
  request: FastifyRequest,
): ApiError | undefined {
  return (
    keyRefusal(operation, request) ?? reasonRefusal(operation, request) ?? clientIDRefusal(operation.access, request)
  )
}

/** Requires the scopes that a request's input needs beside its operation's. @throws ApiError PERMISSION_DENIED */
export function requireScopesFor({ scopesFor }: Pick<Operation, 'scopesFor'>, request: FastifyRequest): void {
  const { caller, params, body } = request
  if (!scopesFor || caller?.kind !== 'integrator') return
  const needed = scopesFor({ params, body: body ?? {} } as AuditedInput)
  const refused = scopeRefusal(
    caller,
    needed.filter((scope) => !hasScope(caller.key, scope)),
  )
  if (refused) throw refused
}

export function lackingScopes(
  { access, scope, scopesByKind = {} }: Pick<Operation, 'access' | 'scope' | 'scopesByKind'>,
  key: AuthenticatedIntegrator['key'],
): KeyScope[] {
  const isOpen = Object.values(scopesByKind).some((readers) => readers.some((one) => hasScope(key, one)))
  const own = scope && !isOpen ? [scope] : []
  const needed: KeyScope[] = [...own, ...(access === 'platform' ? (['platform'] as const) : [])]
  return needed.filter((one) => !hasScope(key, one))
}

/** Refuses a key by network or scope (docs/reference/keys.md). */
function keyRefusal(
  operation: Pick<Operation, 'access' | 'scope' | 'scopesByKind'>,
  request: FastifyRequest,
): ApiError | undefined {
  const { caller } = request
  if (caller?.kind !== 'integrator') return undefined
  if ('allows' in caller && !caller.allows(request.ip)) {
    return new ApiError('PERMISSION_DENIED', 'the API key may not be used from this address')
  }
  return scopeRefusal(caller, lackingScopes(operation, caller.key))
}

function scopeRefusal(caller: AuthenticatedIntegrator, lacking: readonly KeyScope[]): ApiError | undefined {
  if (lacking.length === 0) return undefined
  const lacker = 'operator' in caller ? 'the operator' : 'the API key'
  return new ApiError('PERMISSION_DENIED', `${lacker} lacks the scope ${lacking.join(' and ')}`)
}

/** Refuses another user's ID, or a missing one. */
function clientIDRefusal(access: Access, request: FastifyRequest): ApiError | undefined {
  const { caller } = request
  if (caller?.kind !== 'user') return undefined
  const clientIDs = headerForms(request, 'im-client-id')
  if (clientIDs.includes(caller.user)) return undefined
  if (clientIDs.length > 0) return new ApiError('INVALID_TOKEN', 'header IM-CLIENT-ID is not the user of the token')
  return access === 'client-with-id' ? new ApiError('MISSING_PARAMETER', 'header IM-CLIENT-ID is missing') : undefined
}

function authenticateToken({ byToken }: Authentication, request: FastifyRequest): Promise<AuthenticatedUser> {
  return findByHeader(request, { name: 'IM-CLIENT-KEY', code: 'INVALID_CLIENT_KEY' }, (clientKey) =>
    findByHeader(request, { name: 'IM-Authorization', code: 'INVALID_TOKEN' }, (token) =>
      byToken({ clientKey, token }),
    ),
  )
}

/**
 * Tries the forms of a header in order until one finds a caller; if none does, throws the error of the first.
 * @param header its name, and the error code if it is missing or unknown
 */
async function findByHeader<T>(
  request: FastifyRequest,
  { name, code }: { name: string; code: ErrorCode },
  find: (form: string | undefined) => Promise<T>,
): Promise<T> {
  const [sent, decoded] = headerForms(request, name.toLowerCase())
  const named = (error: unknown) =>
    isUnknown(error) && error.code === code ? new ApiError(code, `header ${name}: ${error.message}`) : error
  try {
    return await find(sent)
  } catch (error) {
    if (decoded === undefined || !isUnknown(error)) throw named(error)
    return find(decoded).catch((other: unknown) => {
      throw named(isUnknown(other) ? error : other)
    })
  }
}

function isUnknown(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 401
}
