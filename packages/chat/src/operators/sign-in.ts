import { randomBytes } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import type { Session } from '@parley/db/connect'
import type { OperatorDoc, OperatorSessionDoc } from '@parley/db/operators/documents'
import { findOperatorByEmail, takeLink, updateOperator } from '@parley/db/operators/operators'
import { inTransaction, StaleReadError } from '@parley/db/transactions/transaction'
import { beginAttempt, forgetFailuresOf } from './attempts.ts'
import { canonicalEmail, type Operators, type Visitor } from './operators.ts'
import { actorOf, recordOfOperator } from './record-change.ts'
import { type SecondFactor, takeSecondFactor } from './second-factor.ts'
import { type SignedIn, startSession } from './sessions.ts'

export interface Credentials {
  email: string
  password: string
  totp?: string | undefined
}

/**
 * Signs in by password. An unknown account, an account without password and a wrong password are indistinguishable in
 * result and time (docs/threat-model.md#operators).
 * @throws ApiError SIGN_IN_FAILED, TOTP_REQUIRED after the right password, TOO_MANY_REQUESTS
 */
export async function signIn(
  operators: Operators,
  { email: given, password, totp }: Credentials,
  visitor: Visitor,
): Promise<SignedIn> {
  const email = canonicalEmail(given)
  const attempt = await beginAttempt(operators, email, visitor)
  const found = await findOperatorByEmail(operators.db, email)
  const isRight = await operators.passwords.matches(password, found?.passwordHash)
  if (!found || !isRight) throw signInFailed()
  if (found.totp && totp === undefined) {
    await attempt.withdrawn()
    throw new ApiError('TOTP_REQUIRED')
  }
  const factor = found.totp && (await takeSecondFactor(operators.db, found, totp ?? ''))
  if (found.totp && !factor) throw signInFailed()
  await attempt.succeeded()
  return inTransaction(operators.db, (session) => letIn(operators, found, 'password', visitor, session, factor))
}

/** Signs in by a link, which works once. @throws ApiError SIGN_IN_FAILED, TOO_MANY_REQUESTS */
export async function signInByLink(operators: Operators, token: string, visitor: Visitor): Promise<SignedIn> {
  const attempt = await beginAttempt(operators, undefined, visitor)
  const signedIn = await inTransaction(operators.db, async (session) => {
    const found = await takeLink(operators.db, digest(token), session)
    if (!found) throw new ApiError('SIGN_IN_FAILED', 'the link was used or has expired: ask for a new one')
    return letIn(operators, found, 'link', visitor, session)
  })
  await Promise.all([attempt.succeeded(), forgetFailuresOf(operators, signedIn.operator.email)])
  return signedIn
}

/** A sign-in link that works once. */
export function newLink(): { token: string; link: NonNullable<OperatorDoc['link']> } {
  const token = `ol_${randomBytes(32).toString('base64url')}`
  return { token, link: { digest: digest(token), expiresAt: new Date(clock.now() + linkMS) } }
}

const linkMS = 24 * 3_600_000

/** Creates the session of an authenticated operator, unless the operator has changed since. */
export async function letIn(
  operators: Operators,
  found: OperatorDoc,
  by: OperatorSessionDoc['by'],
  visitor: Visitor,
  session: Session,
  factor?: SecondFactor,
): Promise<SignedIn> {
  const change = { $set: { lastSignInAt: clock.date() } }
  const operator = await updateOperator(operators.db, found, change, { session, endsSessions: false })
  if (!operator) throw signInFailed()
  await recordOfOperator(
    operators,
    actorOf(operator, visitor),
    { action: 'signIn', operator: operator._id, after: { by, ...(factor === 'recoveryCode' && { with: factor }) } },
    session,
  )
  return startSession(operators, operator, by, visitor, session)
}

export function signInFailed(): ApiError {
  return new ApiError('SIGN_IN_FAILED')
}

/** Thrown if data read before the transaction has changed. */
export function changedMeanwhile(): StaleReadError {
  return new StaleReadError('the operator has changed meanwhile')
}
