import type { AdminCaller } from '@parley/chat/authenticate-api-key'
import type { UserCaller, UserCredentials } from '@parley/chat/authenticate-user'
import { ApiError } from '@parley/contracts/errors'
import type { Access, Operation } from '@parley/contracts/operation'
import type { FastifyRequest } from 'fastify'

/** Who calls, as the operation's access says. */
export type Caller<A extends Access> = A extends 'admin' | 'platform'
  ? AdminCaller
  : A extends 'client-or-admin'
    ? { admin: AdminCaller } | { user: UserCaller }
    : UserCaller

export interface Authentication {
  byApiKey(apiKey: string | undefined): Promise<AdminCaller>
  byToken(credentials: UserCredentials): Promise<UserCaller>
}

/** @throws ApiError INVALID_API_KEY, PERMISSION_DENIED, INVALID_CLIENT_KEY, INVALID_TOKEN */
export async function authenticate(
  authentication: Authentication,
  access: Access,
  request: FastifyRequest,
): Promise<Caller<Access>> {
  switch (access) {
    case 'admin':
      return authentication.byApiKey(header(request, 'im-api-key'))
    case 'platform': {
      const caller = await authentication.byApiKey(header(request, 'im-api-key'))
      if (!caller.permissions.includes('platform')) throw new ApiError('PERMISSION_DENIED')
      return caller
    }
    case 'client':
      return authentication.byToken(userCredentials(request))
    case 'client-with-id':
      return authentication.byToken({ ...userCredentials(request), clientID: header(request, 'im-client-id') ?? '' })
    case 'client-or-admin':
      return header(request, 'im-api-key') === undefined
        ? { user: await authentication.byToken(userCredentials(request)) }
        : { admin: await authentication.byApiKey(header(request, 'im-api-key')) }
  }
}

/** Who acts where both a user and the integrator may: `user` is undefined for the integrator. */
export function actor(caller: Caller<'client-or-admin'>): { app: string; user: string | undefined } {
  return 'admin' in caller ? { app: caller.admin.app, user: undefined } : caller.user
}

/** On the bare-form endpoints a bad API key has the code UNAUTHORIZED (interface.md, "Errors"). */
export function asBareCode(error: ApiError): ApiError {
  return error.code === 'INVALID_API_KEY' ? new ApiError('UNAUTHORIZED', error.message) : error
}

function userCredentials(request: FastifyRequest): UserCredentials {
  return { clientKey: header(request, 'im-client-key'), token: header(request, 'im-authorization') }
}

/**
 * A header's value. Values outside ASCII are sent percent-encoded as UTF-8, or raw: then Node reads the
 * bytes as Latin-1 (decisions.md, "Apps and keys").
 */
export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  if (typeof value !== 'string') return undefined
  if (/%[0-9a-f]{2}/i.test(value)) {
    try {
      return decodeURIComponent(value)
    } catch {
      // Not UTF-8, so the % stand for themselves.
      return value
    }
  }
  // oxlint-disable-next-line no-control-regex -- ASCII is exactly what needs no decoding
  return /^[\x00-\x7f]*$/.test(value) ? value : Buffer.from(value, 'latin1').toString('utf8')
}

/** Whether this request to the operation is answered without the RC/RM envelope. */
export function isBare(operation: Operation, body: unknown): boolean {
  return operation.form === 'bare' || (operation.isBare?.(body) ?? false)
}
