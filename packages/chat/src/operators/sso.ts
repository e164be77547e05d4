import { clock } from '@parley/async/clock'
import type { OperatorRoles } from '@parley/contracts/resources/operator'
import type { Session } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { findOperatorByEmail, findOperatorBySso, insertOperator, updateOperator } from '@parley/db/operators/operators'
import { inTransaction } from '@parley/db/transactions/transaction'
import { beginAttempt } from './attempts.ts'
import { appsIn, canonicalEmail, type Operators, type Visitor } from './operators.ts'
import { actorOf, recordOfOperator } from './record-change.ts'
import type { SignedIn } from './sessions.ts'
import { changedMeanwhile, letIn, signInFailed } from './sign-in.ts'

export interface Identity {
  issuer: string
  subject: string
  /** Absent if the provider sends none, or does not mark it as verified. */
  email?: string
  name?: string
  /** From the roles claim; absent if there is none. */
  roles?: OperatorRoles
}

/** The identity provider of the installation, by OpenID Connect. */
export interface IdentityProvider {
  /** Returns the URL to send the browser to, and the state for its return. @param back the URL to return to */
  begin(back: string): Promise<{ url: string; flow: string }>
  /** @throws ApiError SIGN_IN_FAILED */
  finish(back: URL, flow: string): Promise<Identity>
}

/** Completes a provider's sign-in. Failures count per address. @throws ApiError SIGN_IN_FAILED, TOO_MANY_REQUESTS */
export async function finishSso(
  operators: Operators,
  provider: IdentityProvider,
  { back, flow }: { back: URL; flow: string },
  visitor: Visitor,
): Promise<SignedIn> {
  const attempt = await beginAttempt(operators, undefined, visitor)
  const signedIn = await signInBySso(operators, await provider.finish(back, flow), visitor)
  await attempt.succeeded()
  return signedIn
}

/**
 * Signs in a person identified by the provider: the operator bound to this account, otherwise the one with this e-mail,
 * otherwise a new one if a claim gives roles (docs/guides/identity-provider.md).
 * @throws ApiError SIGN_IN_FAILED
 */
async function signInBySso(operators: Operators, identity: Identity, visitor: Visitor): Promise<SignedIn> {
  // Committed before a refusal, so that roles which the provider no longer gives are removed.
  const operator = await inTransaction(operators.db, async (session) => {
    const found = await findIdentified(operators, identity, session)
    if (found) return followProvider(operators, found, identity, visitor, session)
    return identity.roles?.length ? addIdentified(operators, identity, visitor, session) : undefined
  })
  if (!operator || (operator.rolesBySso && operator.roles.length === 0)) throw signInFailed()
  return inTransaction(operators.db, (session) => letIn(operators, operator, 'sso', visitor, session))
}

async function findIdentified(
  { db }: Operators,
  { issuer, subject, email }: Identity,
  session: Session,
): Promise<OperatorDoc | undefined> {
  const known = await findOperatorBySso(db, issuer, subject, session)
  if (known) return known
  const byEmail = email === undefined ? null : await findOperatorByEmail(db, canonicalEmail(email), session)
  // An e-mail address may be reassigned, so the operator stays with the first account.
  return byEmail && !byEmail.sso ? byEmail : undefined
}

/** Binds the operator to the provider's account on the first sign-in, and applies the roles from a claim. */
async function followProvider(
  operators: Operators,
  found: OperatorDoc,
  { issuer, subject, roles }: Identity,
  visitor: Visitor,
  session: Session,
): Promise<OperatorDoc> {
  const isBound = found.sso !== undefined
  const given = found.rolesBySso && roles && JSON.stringify(roles) !== JSON.stringify(found.roles) ? roles : undefined
  if (isBound && !given) return found
  const change = {
    $set: { sso: { issuer, subject }, ...(given && { roles: given }) },
    // An invitation to the address may have reached another person.
    ...(!isBound && { $unset: { passwordHash: 1, totp: 1, totpBegun: 1, passkeys: 1, link: 1 } as const }),
  }
  const after = await updateOperator(operators.db, found, change, { session, endsSessions: true })
  if (!after) throw changedMeanwhile()
  const recorded = {
    ...{ action: 'followSso', operator: found._id, apps: given ? appsIn([...found.roles, ...given]) : [] },
    ...{ before: { roles: found.roles }, after: { roles: after.roles, issuer } },
  }
  await recordOfOperator(operators, actorOf(after, visitor), recorded, session)
  return after
}

async function addIdentified(
  operators: Operators,
  { issuer, subject, email: given, name, roles = [] }: Identity,
  visitor: Visitor,
  session: Session,
): Promise<OperatorDoc | undefined> {
  if (given === undefined) return undefined
  const email = canonicalEmail(given)
  if (await findOperatorByEmail(operators.db, email, session)) return undefined
  const operator: OperatorDoc = {
    ...{ _id: newId(), email, name: name ?? email, roles, sso: { issuer, subject }, rolesBySso: true },
    ...{ version: 1, createdAt: clock.date() },
  }
  await insertOperator(operators.db, operator, session)
  const recorded = {
    action: 'addOperator',
    operator: operator._id,
    apps: appsIn(roles),
    after: { email, roles, issuer },
  }
  await recordOfOperator(operators, actorOf(operator, visitor), recorded, session)
  return operator
}
