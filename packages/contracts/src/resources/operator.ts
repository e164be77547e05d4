import { z } from 'zod'
import { inPath, isoTime, madeId, naming, shownName } from '../ids.ts'
import { ours } from '../ours.ts'
import { role } from '../roles.ts'
import { keyScopes } from '../scopes.ts'

export const operatorId = naming('operator', madeId().describe('Operator ID'))
export const operatorSessionId = naming('operator session', madeId().describe('Beginning of the session’s digest'))

/** Stands for every app in an operator's roles. */
export const everyApp = '*'

/** Case-insensitive. */
export const operatorEmail = z.email().max(254).describe('E-mail address for signing in')

export const operatorPassword = z.string().min(12).max(256)

/** An operator's role, in one app or in all. */
export const operatorRole = z.strictObject({
  app: inPath(z.string().min(1).max(128)).describe('App ID, or `*` for all apps'),
  role,
})

/** Maximum number of roles of an operator, including those in apps that the caller does not see. */
export const maxRoles = 100

export const operatorRoles = z
  .array(operatorRole)
  .max(maxRoles)
  .refine((roles) => new Set(roles.map(({ app }) => app)).size === roles.length, 'expected each app once')
export type OperatorRoles = z.infer<typeof operatorRoles>

export const operatorName = shownName(100).min(1)

/** An account of the console. */
export const operator = z
  .object({
    id: operatorId,
    email: z.string(),
    name: z.string(),
    roles: z.array(operatorRole),
    hasPassword: z.boolean().describe('Whether the operator can sign in with a password'),
    hasTotp: z.boolean().describe('Whether signing in with a password also needs a code'),
    hasPasskey: z.boolean(),
    bySso: z.boolean().describe('Whether the operator has signed in with the identity provider'),
    createdAt: isoTime,
    lastSignInAt: isoTime.optional(),
  })
  .meta({ id: 'Operator', ...ours })
export type OperatorView = z.infer<typeof operator>

/** The session of the calling operator. */
export const operatorSession = z
  .object({
    operator: z.object({
      id: operatorId,
      email: z.string(),
      name: z.string(),
      hasPassword: z.boolean(),
      hasTotp: z.boolean(),
      recoveryCodes: z.number().int().describe('Number of unused recovery codes'),
    }),
    apps: z
      .array(z.object({ app: z.string(), role, scopes: z.array(z.enum(keyScopes)) }))
      .describe(
        'At most 1,000, by ID. A role for an app overrides the role for all apps. `all`: every scope except `platform`',
      ),
    isOwnerOfAll: z.boolean().describe('Whether the operator owns every app'),
    csrfToken: z.string().describe('Send it as Parley-CSRF with every request except GET'),
    expiresAt: isoTime.describe('Latest end of the session'),
  })
  .meta({ id: 'OperatorSession', ...ours })
export type OperatorSessionView = z.infer<typeof operatorSession>

/** A session in its operator's list. */
export const listedSession = z
  .object({
    id: operatorSessionId,
    isCurrent: z.boolean(),
    by: z.enum(['password', 'link', 'sso', 'passkey']).describe('How the operator signed in'),
    address: z.string().describe('IP address of the sign-in'),
    userAgent: z.string(),
    createdAt: isoTime,
    lastSeenAt: isoTime.describe('To the minute'),
    expiresAt: isoTime,
  })
  .meta({ id: 'ListedOperatorSession', ...ours })
export type ListedSession = z.infer<typeof listedSession>

export const exampleOperator = {
  id: '66f0c1a2b3c4d5e6f7a8b9e1',
  email: 'olivia@example.com',
  name: 'Olivia',
  roles: [{ app: 'demo', role: 'support' as const }],
  hasPassword: true,
  hasTotp: true,
  hasPasskey: false,
  bySso: false,
  createdAt: '2026-11-20T12:00:00.000Z',
  lastSignInAt: '2026-11-26T08:00:00.000Z',
}

export const exampleSession = {
  operator: {
    id: exampleOperator.id,
    email: 'olivia@example.com',
    name: 'Olivia',
    hasPassword: true,
    hasTotp: true,
    recoveryCodes: 10,
  },
  apps: [{ app: 'demo', role: 'viewer' as const, scopes: ['users:read' as const, 'rooms:read' as const] }],
  isOwnerOfAll: false,
  csrfToken: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA',
  expiresAt: '2026-11-26T20:00:00.000Z',
}
