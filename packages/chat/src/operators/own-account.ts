import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/console/account'
import type { Session } from '@parley/db/connect'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { updateOperator } from '@parley/db/operators/operators'
import { insertSession } from '@parley/db/operators/sessions'
import { inTransaction } from '@parley/db/transactions/transaction'
import { beginAttempt } from './attempts.ts'
import type { Operators, Visitor } from './operators.ts'
import { actorOf, recordOfOperator } from './record-change.ts'
import { newRecoveryCodes, newTotpSecret, takeSecondFactor, totpStep, totpUrl } from './second-factor.ts'
import { type SignedIn, startSession } from './sessions.ts'

type Update = Parameters<typeof updateOperator>[2]

interface OwnChange {
  action: string
  update: Update
  /** For the audit log. */
  after?: Record<string, unknown>
  /** Which sessions of the operator end. With `all`, the caller gets a new one. */
  ends?: 'all' | 'others' | 'none'
}

/** For this long after a sign-in, a passkey can be added, and, if it was without password, a password can be set. */
const freshMS = 600_000

/** Requires a recent sign-in: a stolen session must not add a passkey. @throws ApiError SIGN_IN_FAILED */
export function requireFresh({ session }: Pick<SignedIn, 'session'>): void {
  if (!isFresh(session)) throw new ApiError('SIGN_IN_FAILED', 'sign in again to add a passkey')
}

const isFresh = ({ createdAt }: SignedIn['session']) => clock.now() - createdAt.getTime() < freshMS

/**
 * Sets the operator's own password, ends all their sessions, and creates a new one for the caller.
 * @throws ApiError SIGN_IN_FAILED for a wrong current password, TOO_MANY_REQUESTS
 */
export async function changePassword(
  operators: Operators,
  signedIn: SignedIn,
  { current, password }: Input<typeof operations.changePassword>['body'],
  visitor: Visitor,
): Promise<SignedIn> {
  const { operator, session } = signedIn
  const mayReplace = session.by !== 'password' && isFresh(session)
  if (!mayReplace && operator.passwordHash === undefined) {
    throw new ApiError('SIGN_IN_FAILED', 'sign in again, by a link or the identity provider, to set a first password')
  }
  if (!mayReplace || current !== undefined) {
    const attempt = await beginAttempt(operators, operator.email, visitor)
    if (!(await operators.passwords.matches(current ?? '', operator.passwordHash))) {
      throw new ApiError('SIGN_IN_FAILED', 'current: wrong password')
    }
    await attempt.succeeded()
  }
  const passwordHash = await operators.passwords.hash(password)
  return changeOwnAccount(operators, signedIn, visitor, {
    action: 'changePassword',
    update: { $set: { passwordHash } },
    ends: 'all',
  })
}

/**
 * Starts the setup of an authenticator, or with a code completes it.
 * @throws ApiError SIGN_IN_FAILED for a wrong code; CONFLICT if the operator already has one, or no setup was started
 */
export async function setUpTotp(
  operators: Operators,
  signedIn: SignedIn,
  { code }: Input<typeof operations.setUpTotp>['body'],
  visitor: Visitor,
): Promise<Result<typeof operations.setUpTotp>> {
  const { operator } = signedIn
  const { totp, totpBegun } = operator
  if (totp) throw new ApiError('CONFLICT', 'the operator already has an authenticator: remove it first')
  if (code === undefined) {
    const secret = newTotpSecret()
    const begun = { $set: { totpBegun: secret } }
    await inTransaction(operators.db, (session) => updateOwn(operators, operator, begun, session, false))
    return { isOn: false, secret, url: totpUrl(secret, operator.email) }
  }
  if (totpBegun === undefined) throw new ApiError('CONFLICT', 'code: no authenticator is being set up')
  const attempt = await beginAttempt(operators, operator.email, visitor)
  const lastStep = totpStep(totpBegun, code)
  if (lastStep === undefined) throw wrongCode()
  await attempt.withdrawn()
  const { codes, digests: recovery } = newRecoveryCodes()
  const update: Update = { $set: { totp: { secret: totpBegun, lastStep, recovery } }, $unset: { totpBegun: 1 } }
  await changeOwnAccount(operators, signedIn, visitor, { action: 'setUpTotp', update })
  return { isOn: true, recoveryCodes: codes }
}

/** Replaces the recovery codes. @throws ApiError SIGN_IN_FAILED for a wrong code, CONFLICT without an authenticator */
export async function renewRecoveryCodes(
  operators: Operators,
  signedIn: SignedIn,
  code: string,
  visitor: Visitor,
): Promise<Result<typeof operations.renewRecoveryCodes>> {
  await proveAuthenticator(operators, signedIn.operator, code, visitor)
  const { codes, digests } = newRecoveryCodes()
  const update: Update = { $set: { 'totp.recovery': digests } }
  await changeOwnAccount(operators, signedIn, visitor, { action: 'renewRecoveryCodes', update })
  return { recoveryCodes: codes }
}

/**
 * Removes the operator's authenticator and its recovery codes. @throws ApiError SIGN_IN_FAILED for a wrong code,
 * CONFLICT without an authenticator
 */
export async function removeTotp(
  operators: Operators,
  signedIn: SignedIn,
  code: string,
  visitor: Visitor,
): Promise<Result<typeof operations.removeTotp>> {
  await proveAuthenticator(operators, signedIn.operator, code, visitor)
  const update: Update = { $unset: { totp: 1 } }
  await changeOwnAccount(operators, signedIn, visitor, { action: 'removeTotp', update })
  return { isOn: false }
}

async function proveAuthenticator(
  operators: Operators,
  operator: OperatorDoc,
  code: string,
  visitor: Visitor,
): Promise<void> {
  if (!operator.totp) throw new ApiError('CONFLICT', 'the operator has no authenticator')
  const attempt = await beginAttempt(operators, operator.email, visitor)
  if (!(await takeSecondFactor(operators.db, operator, code))) throw wrongCode()
  await attempt.withdrawn()
}

export function changeOwnAccount(
  operators: Operators,
  { operator, session: current, token }: SignedIn,
  visitor: Visitor,
  { action, update, after, ends = 'others' }: OwnChange,
): Promise<SignedIn> {
  return inTransaction(operators.db, async (session) => {
    const changed = await updateOwn(operators, operator, update, session, ends !== 'none')
    const recorded = { action, operator: changed._id, ...(after && { after }) }
    await recordOfOperator(operators, actorOf(changed, visitor), recorded, session)
    if (ends === 'all') return startSession(operators, changed, current.by, visitor, session)
    if (ends === 'none') return { operator: changed, session: current, token }
    const kept = { ...current, version: changed.version }
    await insertSession(operators.db, kept, session)
    return { operator: changed, session: kept, token }
  })
}

async function updateOwn(
  { db }: Operators,
  operator: OperatorDoc,
  update: Update,
  session: Session,
  endsSessions: boolean,
): Promise<OperatorDoc> {
  const changed = await updateOperator(db, operator, update, { session, endsSessions })
  if (!changed) throw new ApiError('INVALID_SESSION')
  return changed
}

function wrongCode(): ApiError {
  return new ApiError('SIGN_IN_FAILED', 'code: wrong, or already used')
}
