import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { everyApp, type ListedSession, type OperatorSessionView } from '@parley/contracts/resources/operator'
import { scopesOfRole } from '@parley/contracts/roles'
import { isOwnScope } from '@parley/contracts/scopes'
import { digest, findOpenApps, isOpenApp } from '@parley/db/apps/apps'
import type { Db, Session } from '@parley/db/connect'
import type { OperatorDoc, OperatorSessionDoc } from '@parley/db/operators/documents'
import {
  deleteSession,
  findActiveSession,
  findSessions,
  insertSession,
  recordSessionUse,
} from '@parley/db/operators/sessions'
import { inTransaction } from '@parley/db/transactions/transaction'
import type { AuthenticatedOperator } from '../access/caller.ts'
import { isOwnerOf, type Operators, roleIn, type Visitor } from './operators.ts'
import { actorOf, recordOfOperator } from './record-change.ts'

const recordUseEveryMS = 60_000
/** Number of hexadecimal digits of the SHA-256 digest that identify a session in lists. */
const idLength = 16
const maxApps = 1_000
const longestUserAgent = 300

/** A signed-in operator as the caller of console operations. */
export interface SignedInOperator extends SignedIn {
  kind: 'operator'
  app?: never
}

export interface SignedIn {
  operator: OperatorDoc
  session: OperatorSessionDoc
  /** Value of the cookie. */
  token: string
}

/** Creates a session in the transaction of the sign-in. */
export async function startSession(
  { db, idleMS, longestMS }: Operators,
  operator: OperatorDoc,
  by: OperatorSessionDoc['by'],
  { address, userAgent }: Visitor,
  session: Session,
): Promise<SignedIn> {
  const token = `os_${randomBytes(32).toString('base64url')}`
  const nowMS = clock.now()
  const doc: OperatorSessionDoc = {
    _id: digest(token),
    operator: operator._id,
    version: operator.version,
    by,
    address,
    userAgent: userAgent.slice(0, longestUserAgent).toWellFormed(),
    createdAt: new Date(nowMS),
    lastSeenAt: new Date(nowMS),
    endsAt: new Date(nowMS + longestMS),
    expiresAt: new Date(nowMS + Math.min(idleMS, longestMS)),
  }
  await insertSession(db, doc, session)
  return { operator, session: doc, token }
}

/**
 * The operator of a session, read for each request: a revocation applies at once.
 * @param isUsed whether the request postpones the idle end
 * @throws ApiError INVALID_SESSION
 */
export async function requireSession(
  { db, idleMS }: Pick<Operators, 'db' | 'idleMS'>,
  token: string | undefined,
  isUsed = true,
): Promise<SignedIn> {
  const found = token === undefined ? null : await findActiveSession(db, digest(token))
  if (!found || token === undefined) throw new ApiError('INVALID_SESSION')
  const { _id, lastSeenAt, endsAt } = found.session
  const now = clock.date()
  if (isUsed && now.getTime() - lastSeenAt.getTime() > Math.min(recordUseEveryMS, idleMS / 4)) {
    const expiresAt = new Date(Math.min(now.getTime() + idleMS, endsAt.getTime()))
    await recordSessionUse(db, _id, now, expiresAt)
  }
  return { ...found, token }
}

/** CSRF token for requests of the session's own pages. Other origins cannot read it. */
function csrfTokenOf({ token }: Pick<SignedIn, 'token'>): string {
  return createHmac('sha256', token).update('csrf').digest('base64url')
}

/** @throws ApiError PERMISSION_DENIED */
export function requireCsrfToken(signedIn: Pick<SignedIn, 'token'>, given: string | undefined): void {
  const [wanted, sent] = [Buffer.from(csrfTokenOf(signedIn)), Buffer.from(given ?? '')]
  if (wanted.length === sent.length && timingSafeEqual(wanted, sent)) return
  throw new ApiError(
    'PERMISSION_DENIED',
    'header Parley-CSRF is not the csrfToken of the session (GET /operator/session)',
  )
}

/**
 * The operator as the caller of operations for API keys, with the rights of their role in the app.
 * @throws ApiError PERMISSION_DENIED, also if the app does not exist. A role for all apps gives none in `*`, whose log
 * contains the operators
 */
export async function inApp(
  { db }: Pick<Operators, 'db'>,
  { operator, session }: Pick<SignedIn, 'operator' | 'session'>,
  app: string,
): Promise<AuthenticatedOperator> {
  const role = roleIn(operator, app)
  // The same error either way, so that a session does not reveal which other apps exist.
  if (!role || !(await isOpenApp(db, app)))
    throw new ApiError('PERMISSION_DENIED', `the operator has no role in the app ${JSON.stringify(app)}`)
  const scopes = scopesOfRole[role]
  return {
    kind: 'integrator',
    app,
    operator: { _id: operator._id, email: operator.email },
    session: { _id: session._id, createdAt: session.createdAt },
    key: {
      name: operator.email,
      permissions: scopes.includes('platform') ? ['platform'] : [],
      ...(!scopes.includes('all') && { scopes: scopes.filter(isOwnScope) }),
    },
  }
}

/** The operator of a session with their apps. */
export async function viewSession(db: Db, signedIn: SignedIn): Promise<OperatorSessionView> {
  const { operator, session } = signedIn
  return {
    operator: {
      id: operator._id,
      email: operator.email,
      name: operator.name,
      hasPassword: operator.passwordHash !== undefined,
      hasTotp: operator.totp !== undefined,
      recoveryCodes: operator.totp?.recovery?.length ?? 0,
    },
    apps: (await appsOf(db, operator)).slice(0, maxApps),
    isOwnerOfAll: isOwnerOf(operator, everyApp),
    csrfToken: csrfTokenOf(signedIn),
    expiresAt: session.endsAt.toISOString(),
  }
}

async function appsOf(db: Db, operator: OperatorDoc): Promise<OperatorSessionView['apps']> {
  const open = (await findOpenApps(db)).map(({ _id }) => _id).toSorted()
  return open.flatMap((app) => {
    const role = roleIn(operator, app)
    return role ? [{ app, role, scopes: [...scopesOfRole[role]] }] : []
  })
}

/** The sessions of an operator, latest first. */
export async function listSessions(db: Db, { operator, session }: SignedIn): Promise<{ data: ListedSession[] }> {
  const found = await findSessions(db, operator)
  return {
    data: found.map((one) => ({
      id: one._id.slice(0, idLength),
      isCurrent: one._id === session._id,
      by: one.by,
      address: one.address,
      userAgent: one.userAgent,
      createdAt: one.createdAt.toISOString(),
      lastSeenAt: one.lastSeenAt.toISOString(),
      expiresAt: one.expiresAt.toISOString(),
    })),
  }
}

/** Ends a session of the operator, by its ID in the list. @throws ApiError SESSION_NOT_FOUND */
export async function endSession(
  operators: Operators,
  { operator }: Pick<SignedIn, 'operator'>,
  id: string,
  visitor: Visitor,
): Promise<Record<string, never>> {
  const found = (await findSessions(operators.db, operator)).find(({ _id }) => _id.slice(0, idLength) === id)
  if (!found || !(await end(operators, 'endSession', { operator, session: found }, visitor)))
    throw new ApiError('SESSION_NOT_FOUND')
  return {}
}

export async function signOut(operators: Operators, signedIn: SignedIn, visitor: Visitor): Promise<void> {
  await end(operators, 'signOut', signedIn, visitor)
}

async function end(
  operators: Operators,
  action: string,
  { operator, session: { _id, by, address } }: Pick<SignedIn, 'operator' | 'session'>,
  visitor: Visitor,
): Promise<boolean> {
  return inTransaction(operators.db, async (transaction) => {
    if (!(await deleteSession(operators.db, _id, transaction))) return false
    const before = { session: _id.slice(0, idLength), by, address }
    const ended = { action, operator: operator._id, before }
    await recordOfOperator(operators, actorOf(operator, visitor), ended, transaction)
    return true
  })
}
