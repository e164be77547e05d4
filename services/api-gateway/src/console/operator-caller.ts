import type { AuthenticatedOperator } from '@parley/chat/access/caller'
import { requireCsrfToken, type SignedIn, type SignedInOperator } from '@parley/chat/operators/sessions'
import { ApiError } from '@parley/contracts/errors'
import type { Operation } from '@parley/contracts/operation'
import type { FastifyRequest } from 'fastify'
import { headerForms } from '../requests/header-forms.ts'
import { cookieOf } from './session-cookie.ts'

const longestReason = 300

/** Finds a session by the value of its cookie. `isUsed`: whether the request postpones its idle end. */
export type FindSession = (token: string | undefined, isUsed: boolean) => Promise<SignedIn>

/** Resolves a signed-in operator to a caller in an app. */
export type FindInApp = (signedIn: SignedIn, app: string) => Promise<AuthenticatedOperator>

/** Whether a request to an API key operation is an operator's: it names an app and has no API key. */
export function isByOperator({ headers }: FastifyRequest): boolean {
  return headers['im-api-key'] === undefined && headers['parley-app'] !== undefined
}

/** The operator of the session cookie. @throws ApiError INVALID_SESSION, PERMISSION_DENIED without the CSRF token */
export async function signedInOperator(bySession: FindSession, request: FastifyRequest): Promise<SignedInOperator> {
  // Views refresh by themselves, also while the operator is away.
  const isUsed = request.headers['parley-unattended'] === undefined
  const signedIn = await bySession(cookieOf(request, 'session'), isUsed)
  if (request.method !== 'GET') requireCsrfToken(signedIn, headerForms(request, 'parley-csrf')[0])
  return { ...signedIn, kind: 'operator' }
}

/** The operator in the app that the request names. @throws ApiError as signedInOperator */
export async function operatorInApp(
  { bySession, inApp }: { bySession: FindSession; inApp: FindInApp },
  request: FastifyRequest,
): Promise<AuthenticatedOperator> {
  return inApp(await signedInOperator(bySession, request), headerForms(request, 'parley-app').at(-1) ?? '')
}

/** Refuses an operator who reads conversations without a valid reason. */
export function reasonRefusal(
  { conversations }: Pick<Operation, 'conversations'>,
  request: FastifyRequest,
): ApiError | undefined {
  if (!conversations || !(request.caller && 'session' in request.caller)) return undefined
  const reason = reasonOf(request)
  if (reason === undefined) {
    return new ApiError(
      'MISSING_PARAMETER',
      'header Parley-Reason is missing: operators say why they read conversations',
    )
  }
  // oxlint-disable-next-line no-control-regex -- excludes control characters
  if (reason.length <= longestReason && !/[\u0000-\u001f\u007f-\u009f]/.test(reason)) return undefined
  return new ApiError(
    'INVALID_REQUEST',
    `header Parley-Reason: expected at most ${longestReason} characters in one line`,
  )
}

/** The operator's decoded reason, if given. */
export function reasonOf(request: FastifyRequest): string | undefined {
  const reason = headerForms(request, 'parley-reason').at(-1)?.trim()
  return reason === '' ? undefined : reason
}
