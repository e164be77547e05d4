import { z } from 'zod'
import { inPath, isoTime, madeId, naming, shownName } from '../ids.ts'
import { ours } from '../ours.ts'
import { role } from '../roles.ts'
import { keyScopes } from '../scopes.ts'

export const operatorId = naming('operator', madeId().describe('ID of the operator'))
export const operatorSessionId = naming(
  'operator session',
  madeId().describe('The beginning of a digest of the session'),
)

/** Stands for every app in the roles of an operator. */
export const everyApp = '*'

/** Compared without regard to case. */
export const operatorEmail = z.email().max(254).describe('E-mail address, by which the operator signs in')

export const operatorPassword = z.string().min(12).max(256)

/** A role of an operator, in one app or in all. */
export const operatorRole = z.strictObject({
  app: inPath(z.string().min(1).max(128)).describe('ID of an app, or `*` for all'),
  role,
})

/** An operator has at most this many roles, also those in apps that the caller does not see. */
export const mostRoles = 100

export const operatorRoles = z
  .array(operatorRole)
  .max(mostRoles)
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
    hasPassword: z.boolean().describe('Whether the operator can sign in by password'),
    hasTotp: z.boolean().describe('Whether signing in by password needs a code too'),
    bySso: z.boolean().describe('Whether the operator has signed in by the identity provider'),
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
      recoveryCodes: z.number().int().describe('How many are left'),
    }),
    apps: z
      .array(z.object({ app: z.string(), role, scopes: z.array(z.enum(keyScopes)) }))
      .describe(
        'At most 1,000, by ID. The role for an app itself goes before that for all. `all` is every scope but `platform`',
      ),
    isOwnerOfAll: z.boolean().describe('Whether the operator is owner of every app'),
    csrfToken: z.string().describe('Send it as Parley-CSRF with every request but GET'),
    expiresAt: isoTime.describe('The session ends then at the latest'),
  })
  .meta({ id: 'OperatorSession', ...ours })
export type OperatorSessionView = z.infer<typeof operatorSession>

/** A session as its operator sees it in a list. */
export const listedSession = z
  .object({
    id: operatorSessionId,
    isCurrent: z.boolean(),
    by: z.enum(['password', 'link', 'sso', 'passkey']).describe('How the operator signed in'),
    address: z.string().describe('From which the operator signed in'),
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
