import type { OperatorDoc } from '@parley/db/operators/documents'
import type { Chat } from '../chat.ts'
import { createPasswords, type Passwords } from './passwords.ts'

export interface Operators {
  db: Chat['db']
  /** How long entries of the audit log are kept. */
  auditDays: number
  passwords: Passwords
  /** A session ends after `idleMS` without a request, and after `longestMS` in any case. */
  idleMS: number
  longestMS: number
}

/** @param sessions idle and maximum lifetime; by default 1 and 12 hours */
export function createOperators(
  { db, settings: { auditDays } }: Pick<Chat, 'db' | 'settings'>,
  sessions: Pick<Operators, 'idleMS' | 'longestMS'> = { idleMS: 3_600_000, longestMS: 12 * 3_600_000 },
): Operators {
  return { db, auditDays, passwords: createPasswords(), ...sessions }
}

export interface Visitor {
  address: string
  userAgent: string
  /** X-Request-ID */
  request: string
}

/** The canonical form in which e-mail addresses are stored and compared. */
export function canonicalEmail(email: string): string {
  return email.toLowerCase()
}

/** Whether an operator owns an app, or with `*` all. */
export function isOwnerOf({ roles }: Pick<OperatorDoc, 'roles'>, app: string): boolean {
  return roleIn({ roles }, app) === 'owner'
}

/** The role of an operator in an app. A role for the app overrides one for all apps. */
export function roleIn({ roles }: Pick<OperatorDoc, 'roles'>, app: string) {
  const found = roles.find((one) => one.app === app) ?? roles.find((one) => one.app === '*')
  return found?.role
}

export function appsIn(roles: OperatorDoc['roles']): string[] {
  return [...new Set(roles.map(({ app }) => app))]
}
