import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/console/operators'
import { everyApp, maxRoles, type OperatorRoles, type OperatorView } from '@parley/contracts/resources/operator'
import type { Session } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import type { OperatorDoc } from '@parley/db/operators/documents'
import {
  deleteOperator,
  findOperator,
  findOperatorByEmail,
  findOperators,
  insertOperator,
  updateOperator,
} from '@parley/db/operators/operators'
import { inTransaction } from '@parley/db/transactions/transaction'
import { anyText, decodeCursor, encodeCursor, pageOf } from '../page-cursor.ts'
import { forgetFailuresOf } from './attempts.ts'
import { appsIn, canonicalEmail, isOwnerOf, type Operators } from './operators.ts'
import { type Actor, recordOfOperator } from './record-change.ts'
import { changedMeanwhile, newLink } from './sign-in.ts'

/** The caller: an operator, or the command line, which may do anything. */
export interface By {
  actor: Actor
  /** Undefined means owner of all apps. */
  roles: OperatorRoles | undefined
}

type Parts = Pick<Operators, 'db' | 'auditDays'>
type WithLink = OperatorView & { link: string }

/** The operators of the caller's apps, ordered by e-mail. @throws ApiError PERMISSION_DENIED */
export async function listOperators(
  { db }: Parts,
  by: By,
  { limit, cursor = '' }: Input<typeof operations.listOperators>['query'],
): Promise<Result<typeof operations.listOperators>> {
  const apps = ownApps(by)
  const [after = ''] = cursor === '' ? [] : decodeCursor('operators', cursor, anyText)
  const oneMore = await findOperators(db, { apps, after, limit: limit + 1 })
  const { shown: found, last } = pageOf(oneMore, limit)
  return {
    data: found.map((operator) => toView(operator, apps)),
    ...(last && { cursor: encodeCursor('operators', last.email) }),
  }
}

/** Adds an operator, and returns a one-time sign-in link. @throws ApiError CONFLICT, PERMISSION_DENIED */
export async function addOperator(
  parts: Parts,
  by: By,
  { email: given, name, roles }: Input<typeof operations.addOperator>['body'],
): Promise<WithLink> {
  requireOwner(by, roles)
  const email = canonicalEmail(given)
  const { token, link } = newLink()
  const operator: OperatorDoc = { _id: newId(), email, name, roles, link, version: 1, createdAt: clock.date() }
  await inTransaction(parts.db, async (session) => {
    if (await findOperatorByEmail(parts.db, email, session)) {
      throw new ApiError('CONFLICT', `email: the operator ${JSON.stringify(email)} already exists`)
    }
    await insertOperator(parts.db, operator, session)
    const recorded = {
      action: 'addOperator',
      operator: operator._id,
      apps: appsIn(roles),
      after: { email, name, roles },
    }
    await recordOfOperator(parts, by.actor, recorded, session)
  })
  return { ...toView(operator, ownApps(by)), link: token }
}

/** Changes name or roles. @throws ApiError OPERATOR_NOT_FOUND, PERMISSION_DENIED, INVALID_REQUEST for too many roles */
export async function changeOperator(
  parts: Parts,
  by: By,
  id: string,
  { name, roles: wanted }: Input<typeof operations.changeOperator>['body'],
): Promise<OperatorView> {
  return inTransaction(parts.db, async (session) => {
    const before = await requireOperator(parts, by, id, session)
    if (name !== undefined && name !== before.name) requireOwner(by, before.roles)
    const isNamed = (app: string) => wanted?.some((one) => one.app === app) ?? false
    const kept = hiddenRoles(before, by).filter(({ app }) => !isNamed(app))
    const roles = wanted ? [...wanted, ...kept] : before.roles
    const changed = differing(before.roles, roles)
    requireOwner(by, changed)
    if (changed.length > 0 && roles.length > maxRoles) {
      throw new ApiError('INVALID_REQUEST', `roles: at most ${maxRoles}, including those in other apps`)
    }
    const after = await applied(parts, before, { $set: { roles, ...(name !== undefined && { name }) } }, session, {
      endsSessions: changed.length > 0,
    })
    const shown = (of: OperatorDoc) => ({ name: of.name, ...(changed.length > 0 && { roles: of.roles }) })
    const recorded = {
      ...{ action: 'changeOperator', operator: id, apps: appsIn(changed) },
      ...{ before: shown(before), after: shown(after) },
    }
    await recordOfOperator(parts, by.actor, recorded, session)
    return toView(after, ownApps(by))
  })
}

/**
 * Removes an operator's password, authenticator and passkeys, ends their sessions, and returns a new sign-in link.
 * @throws ApiError as changeOperator
 */
export async function resetOperator(parts: Parts, by: By, id: string): Promise<WithLink> {
  const { token, link } = newLink()
  const reset = { $set: { link }, $unset: { passwordHash: 1, totp: 1, totpBegun: 1, passkeys: 1, sso: 1 } } as const
  const operator = await inTransaction(parts.db, async (session) => {
    const before = await requireOperator(parts, by, id, session)
    requireOwner(by, before.roles)
    const after = await applied(parts, before, reset, session, { endsSessions: true })
    await recordOfOperator(
      parts,
      by.actor,
      { action: 'resetOperator', operator: id, apps: appsIn(before.roles), after: { email: before.email } },
      session,
    )
    return after
  })
  await forgetFailuresOf(parts, operator.email)
  return { ...toView(operator, ownApps(by)), link: token }
}

/** @throws ApiError as changeOperator */
export async function removeOperator(parts: Parts, by: By, id: string): Promise<Record<string, never>> {
  return inTransaction(parts.db, async (session) => {
    const operator = await requireOperator(parts, by, id, session)
    requireOwner(by, operator.roles)
    await deleteOperator(parts.db, id, session)
    const { email, name, roles } = operator
    const recorded = { action: 'removeOperator', operator: id, apps: appsIn(roles), before: { email, name, roles } }
    await recordOfOperator(parts, by.actor, recorded, session)
    return {}
  })
}

/** An operator as seen by the owners of some apps, with only the roles there. @param apps undefined means all */
function toView(operator: OperatorDoc, apps: readonly string[] | undefined): OperatorView {
  const { _id, email, name, roles, passwordHash, totp, passkeys = [], sso, createdAt, lastSignInAt } = operator
  return {
    ...{ id: _id, email, name, roles: roles.filter(({ app }) => !apps || apps.includes(app)) },
    ...{ hasPassword: passwordHash !== undefined, hasTotp: totp !== undefined },
    ...{ hasPasskey: passkeys.length > 0, bySso: sso !== undefined },
    createdAt: createdAt.toISOString(),
    ...(lastSignInAt && { lastSignInAt: lastSignInAt.toISOString() }),
  }
}

/** The apps that the caller owns; undefined means all. @throws ApiError PERMISSION_DENIED if there are none */
function ownApps({ roles }: By): string[] | undefined {
  if (!roles || isOwnerOf({ roles }, everyApp)) return undefined
  const owned = appsIn(roles.filter(({ role }) => role === 'owner'))
  if (owned.length === 0) throw new ApiError('PERMISSION_DENIED', 'only owners may see and change operators')
  return owned
}

function requireOwner(by: By, roles: OperatorRoles): void {
  const own = ownApps(by)
  if (!own || roles.every(({ app }) => own.includes(app))) return
  const message = 'the operator has, or would get, a role in an app that the caller does not own'
  throw new ApiError('PERMISSION_DENIED', message)
}

async function requireOperator({ db }: Parts, by: By, id: string, session: Session): Promise<OperatorDoc> {
  const own = ownApps(by)
  const found = await findOperator(db, id, session)
  const isSeen = found && (!own || appsIn(found.roles).some((app) => own.includes(app)))
  if (!isSeen) throw new ApiError('OPERATOR_NOT_FOUND')
  return found
}

async function applied(
  { db }: Parts,
  before: OperatorDoc,
  change: Parameters<typeof updateOperator>[2],
  session: Session,
  { endsSessions }: { endsSessions: boolean },
): Promise<OperatorDoc> {
  const after = await updateOperator(db, before, change, { session, endsSessions })
  if (!after) throw changedMeanwhile()
  return after
}

/** Roles in apps that the caller does not own, which stay unchanged. */
function hiddenRoles({ roles }: OperatorDoc, by: By): OperatorRoles {
  const own = ownApps(by)
  return own ? roles.filter(({ app }) => !own.includes(app)) : []
}

function differing(one: OperatorRoles, other: OperatorRoles): OperatorRoles {
  const lacks = (roles: OperatorRoles) => (wanted: OperatorRoles[number]) =>
    !roles.some(({ app, role }) => app === wanted.app && role === wanted.role)
  return [...one.filter(lacks(other)), ...other.filter(lacks(one))]
}
