import { z } from 'zod'
import { operation } from '../../operation.ts'
import {
  exampleSession,
  listedSession,
  operatorEmail,
  operatorSession,
  operatorSessionId,
} from '../../resources/operator.ts'

/** Time-based one-time password, RFC 6238. */
export const totpCode = z.string().regex(/^\d{6}$/, 'expected six digits')

/** A code of the authenticator, or one of the recovery codes (RFC 4648 base32, dashes optional). */
export const secondFactor = z
  .string()
  .regex(/^(?:\d{6}|[A-Za-z2-7]{4}(?:-?[A-Za-z2-7]{4}){3})$/, 'expected six digits, or a recovery code')

export const getSignInMethods = operation('getSignInMethods', 'GET /operator/methods', {
  tag: 'Console',
  summary: 'Get the sign-in methods of operators',
  access: 'anyone',
  result: z.object({
    password: z.boolean(),
    sso: z.boolean().describe('Whether GET /operator/oidc redirects to an identity provider'),
  }),
  example: { result: { password: true, sso: false } },
})

export const signIn = operation('signIn', 'POST /operator/session', {
  tag: 'Console',
  summary: 'Sign in as an operator',
  description:
    'Sets the session cookie. After several failures, an account (known or not) and an address are throttled with growing delays: 429 with Retry-After.',
  access: 'anyone',
  body: z.strictObject({
    email: operatorEmail,
    password: z.string().max(256),
    totp: secondFactor
      .optional()
      .describe('Authenticator code or recovery code, if the operator has set up an authenticator'),
  }),
  result: operatorSession,
  errors: ['SIGN_IN_FAILED', 'TOTP_REQUIRED'],
  example: {
    body: { email: 'olivia@example.com', password: 'correct horse battery staple', totp: '287082' },
    result: exampleSession,
  },
})

export const signInByLink = operation('signInByLink', 'POST /operator/link', {
  tag: 'Console',
  summary: 'Sign in with a one-time link',
  description:
    '`npm start` and `parley operator add` print such links: /console#link={token}. Sets the session cookie.',
  access: 'anyone',
  body: z.strictObject({ token: z.string().min(1).max(200) }),
  result: operatorSession,
  errors: ['SIGN_IN_FAILED'],
  example: { body: { token: 'ol_3q2-7wEjRWeJCrze8SNFZ4kKvN7xI0VniQ' }, result: exampleSession },
})

export const startSso = operation('startSso', 'GET /operator/oidc', {
  tag: 'Console',
  summary: 'Redirect to the identity provider to sign in',
  description:
    'For browsers: returns 302 with a cookie that the callback needs. Without the provider, 302 to `/console#error=SERVICE_UNAVAILABLE`.',
  access: 'anyone',
  result: z.object({}),
  errors: ['INVALID_REQUEST', 'NOT_FOUND'],
  example: {},
})

export const finishSso = operation('finishSso', 'GET /operator/oidc/callback', {
  tag: 'Console',
  summary: 'Callback of the identity provider: sets the session cookie',
  description: 'For browsers: returns 302 to /console, with `#error=` and a code on failure.',
  access: 'anyone',
  query: z.looseObject({
    code: z.any().optional(),
    state: z.any().optional(),
    iss: z.any().optional(),
    error: z.any().optional(),
  }),
  result: z.object({}),
  errors: ['INVALID_REQUEST', 'NOT_FOUND'],
  example: {},
})

export const getSession = operation('getSession', 'GET /operator/session', {
  tag: 'Console',
  summary: 'Get the signed-in operator, their apps and the CSRF token',
  access: 'operator',
  result: operatorSession,
  example: { result: exampleSession },
})

export const signOut = operation('signOut', 'DELETE /operator/session', {
  tag: 'Console',
  summary: 'Sign out: end the session immediately, on every gateway',
  access: 'operator',
  result: z.object({}),
  example: { result: {} },
})

export const listSessions = operation('listSessions', 'GET /operator/sessions', {
  tag: 'Console',
  summary: 'List the sessions of the signed-in operator, newest first',
  access: 'operator',
  result: z.object({ data: z.array(listedSession) }),
  example: {
    result: {
      data: [
        {
          id: '9f86d081884c7d65',
          isCurrent: true,
          by: 'password',
          address: '10.1.2.3',
          userAgent: 'Mozilla/5.0',
          createdAt: '2026-11-26T08:00:00.000Z',
          lastSeenAt: '2026-11-26T09:30:00.000Z',
          expiresAt: '2026-11-26T10:30:00.000Z',
        },
      ],
    },
  },
})

export const endSession = operation('endSession', 'DELETE /operator/sessions/:id', {
  tag: 'Console',
  summary: 'End a session of the signed-in operator immediately, on every gateway',
  access: 'operator',
  params: z.object({ id: operatorSessionId }),
  result: z.object({}),
  errors: ['SESSION_NOT_FOUND'],
  example: { result: {} },
})
