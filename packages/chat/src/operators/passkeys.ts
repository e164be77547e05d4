import { clock } from '@parley/async/clock'
import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type * as operations from '@parley/contracts/operations/console/passkeys'
import { digest } from '@parley/db/apps/apps'
import type { OperatorDoc, PasskeyDoc } from '@parley/db/operators/documents'
import { findOperatorByPasskey, insertChallenge, recordPasskeyUse, takeChallenge } from '@parley/db/operators/passkeys'
import { inTransaction } from '@parley/db/transactions/transaction'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { beginAttempt, countChallenge, forgetChallenges } from './attempts.ts'
import type { Operators, Visitor } from './operators.ts'
import { changeOwnAccount, requireFresh } from './own-account.ts'
import type { SignedIn } from './sessions.ts'
import { letIn, signInFailed } from './sign-in.ts'

/** The console as browsers see it. Passkeys are bound to its domain. */
interface RelyingParty {
  /** For example chat.example.com. */
  id: string
  /** For example https://chat.example.com. */
  origin: string
}

type Credential = Input<typeof operations.addPasskey>['body']['credential']
type PasskeyView = Result<typeof operations.addPasskey>
type Options = Result<typeof operations.startPasskey>

const maxPasskeys = 10
const idLength = 16

export function relyingParty(consoleUrl: string): RelyingParty {
  const { hostname: id, origin } = new URL(consoleUrl)
  return { id, origin }
}

/**
 * Options for a browser to sign in with any of its passkeys for the console.
 * @throws ApiError TOO_MANY_REQUESTS if the address has started many sign-ins without success
 */
export async function startPasskeySignIn(
  { db }: Operators,
  { id: rpID }: RelyingParty,
  visitor: Visitor,
): Promise<Options> {
  await countChallenge(db, visitor)
  const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' })
  await insertChallenge(db, digest(options.challenge), undefined)
  return { options: { ...options } }
}

/** Signs in by a passkey. Every fault gives the same error. @throws ApiError SIGN_IN_FAILED, TOO_MANY_REQUESTS */
export async function signInByPasskey(
  operators: Operators,
  party: RelyingParty,
  credential: Credential,
  visitor: Visitor,
): Promise<SignedIn> {
  const { db } = operators
  const found = await findOperatorByPasskey(db, credential.id)
  const attempt = await beginAttempt(operators, found?.email, visitor)
  const challenge = challengeIn(credential)
  const isOurs = await takeChallenge(db, digest(challenge), undefined)
  const passkey = found?.passkeys?.find(({ id }) => id === credential.id)
  if (!isOurs || !found || !passkey || passkey.rpId !== party.id || !isOf(found, credential)) throw signInFailed()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential as unknown as AuthenticationResponseJSON,
    ...expected(party, challenge),
    credential: {
      id: passkey.id,
      publicKey: Uint8Array.from(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  }).catch(asRefusal)
  if (!verified) throw signInFailed()
  // Does not clear failed passwords, since a stolen session could have added the passkey.
  await Promise.all([attempt.withdrawn(), forgetChallenges(db, visitor)])
  return inTransaction(db, async (session) => {
    // A changed counter means a second copy of the authenticator.
    if (!(await recordPasskeyUse(db, found._id, passkey, authenticationInfo.newCounter, session))) throw signInFailed()
    return letIn(operators, found, 'passkey', visitor, session)
  })
}

/**
 * Options for a browser to create a passkey for the operator.
 * @throws ApiError CONFLICT if they have ten already, SIGN_IN_FAILED unless they signed in recently
 */
export async function startPasskey(
  { db }: Operators,
  party: RelyingParty,
  signedIn: Pick<SignedIn, 'operator' | 'session'>,
): Promise<Options> {
  requireFresh(signedIn)
  const { _id, email, name, passkeys = [] } = signedIn.operator
  requireRoom(passkeys)
  const options = await generateRegistrationOptions({
    ...{ rpName: 'Parley', rpID: party.id, userID: new TextEncoder().encode(_id) },
    ...{ userName: email, userDisplayName: name, attestationType: 'none' },
    excludeCredentials: passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await insertChallenge(db, digest(options.challenge), _id)
  return { options: { ...options } }
}

/**
 * Adds a passkey, and ends the operator's other sessions.
 * @throws ApiError SIGN_IN_FAILED if it is not verified or the sign-in is too old, CONFLICT, TOO_MANY_REQUESTS
 */
export async function addPasskey(
  operators: Operators,
  party: RelyingParty,
  signedIn: SignedIn,
  { name, credential }: Input<typeof operations.addPasskey>['body'],
  visitor: Visitor,
): Promise<PasskeyView> {
  const { operator } = signedIn
  requireFresh(signedIn)
  requireRoom(operator.passkeys ?? [])
  const attempt = await beginAttempt(operators, operator.email, visitor)
  const challenge = challengeIn(credential)
  if (!(await takeChallenge(operators.db, digest(challenge), operator._id))) throw notVerified()
  const response = credential as unknown as RegistrationResponseJSON
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    ...expected(party, challenge),
  }).catch(asRefusal)
  if (!verified || !registrationInfo) throw notVerified()
  if (await findOperatorByPasskey(operators.db, registrationInfo.credential.id)) {
    throw new ApiError('CONFLICT', 'credential: the passkey is already in use')
  }
  await attempt.withdrawn()
  const { id, publicKey, counter } = registrationInfo.credential
  const passkey: PasskeyDoc = {
    ...{ id, publicKey: Buffer.from(publicKey).toString('base64url'), rpId: party.id, counter, name },
    ...{ isSynced: registrationInfo.credentialBackedUp, createdAt: clock.date() },
  }
  const update = { $push: { passkeys: passkey } }
  const change = { action: 'addPasskey', update, after: { passkey: name } }
  await changeOwnAccount(operators, signedIn, visitor, change)
  return toView(passkey)
}

export function listPasskeys({ operator }: Pick<SignedIn, 'operator'>): { data: PasskeyView[] } {
  return { data: (operator.passkeys ?? []).map(toView) }
}

/** Renames a passkey. Sessions continue, since a name grants nothing. @throws ApiError NOT_FOUND */
export async function renamePasskey(
  operators: Operators,
  signedIn: SignedIn,
  id: string,
  name: string,
  visitor: Visitor,
): Promise<PasskeyView> {
  const passkey = requirePasskey(signedIn.operator, id)
  // The array index changes only with the operator's version, which the update checks.
  const index = signedIn.operator.passkeys?.indexOf(passkey)
  const update = { $set: { [`passkeys.${index}.name`]: name } }
  const change = { action: 'renamePasskey', update, after: { passkey: name }, ends: 'none' as const }
  await changeOwnAccount(operators, signedIn, visitor, change)
  return toView({ ...passkey, name })
}

/** Removes a passkey, and ends the operator's other sessions. @throws ApiError NOT_FOUND */
export async function removePasskey(
  operators: Operators,
  signedIn: SignedIn,
  id: string,
  visitor: Visitor,
): Promise<Record<string, never>> {
  const passkey = requirePasskey(signedIn.operator, id)
  const update = { $pull: { passkeys: { id: passkey.id } } }
  const change = { action: 'removePasskey', update, after: { passkey: passkey.name } }
  await changeOwnAccount(operators, signedIn, visitor, change)
  return {}
}

const expected = (party: RelyingParty, challenge: string) => ({
  ...{ expectedChallenge: challenge, expectedOrigin: party.origin, expectedRPID: party.id },
  requireUserVerification: true,
})

/** The challenge that the authenticator signed, which the verification compares. @throws ApiError SIGN_IN_FAILED */
function challengeIn({ response }: Credential): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown
    }
    if (typeof challenge === 'string') return challenge
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  throw notVerified()
}

/** Whether the authenticator names this operator. Discoverable credentials always name their user. */
function isOf({ _id }: OperatorDoc, { response }: Credential): boolean {
  const { userHandle } = response
  return typeof userHandle === 'string' && Buffer.from(userHandle, 'base64url').toString() === _id
}

/** The library throws an Error for any mismatch. */
function asRefusal(cause: unknown): never {
  throw new ApiError('SIGN_IN_FAILED', undefined, { cause })
}

function notVerified(): ApiError {
  return new ApiError('SIGN_IN_FAILED', 'credential: not verified: start again')
}

function requireRoom(passkeys: readonly PasskeyDoc[]): void {
  if (passkeys.length >= maxPasskeys) throw new ApiError('CONFLICT', `the operator already has ${maxPasskeys} passkeys`)
}

function requirePasskey({ passkeys = [] }: OperatorDoc, id: string): PasskeyDoc {
  const found = passkeys.find((one) => idOf(one) === id)
  if (!found) throw new ApiError('NOT_FOUND', 'the operator has no passkey with this ID')
  return found
}

const idOf = ({ id }: PasskeyDoc) => digest(id).slice(0, idLength)

function toView(passkey: PasskeyDoc): PasskeyView {
  const { name, isSynced, createdAt, lastUsedAt } = passkey
  return {
    ...{ id: idOf(passkey), name, isSynced, createdAt: createdAt.toISOString() },
    ...(lastUsedAt && { lastUsedAt: lastUsedAt.toISOString() }),
  }
}
