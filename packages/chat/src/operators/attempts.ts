import { tooManyOf } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import { countAttempt, forgetFailures, uncountAttempt } from '@parley/db/operators/sign-in-failures'
import { addressBlock } from '@parley/presence/address-block'
import type { Operators, Visitor } from './operators.ts'

/** Limits per account. The wait doubles with each failure after the free ones. */
const perAccount = { free: 4, firstMS: 15_000, longestMS: 900_000 }
/** Limits per address, which an office may share. */
const perAddress = { free: 19, firstMS: 15_000, longestMS: 900_000 }

/** Limits per address on challenges without a sign-in, since the database keeps each for some minutes. */
const perChallenge = { free: 99, firstMS: 15_000, longestMS: 900_000 }

/** An attempt to use a password, code or link. It counts as failed until it succeeds. */
export interface Attempt {
  /** Ends the attempt as a success, and clears the failures of the account. */
  succeeded(): Promise<void>
  /**
   * Ends the attempt as neither success nor failure. Used also for a correct authenticator code or a new passkey: a
   * stolen session could set up one to guess the password without a wait.
   */
  withdrawn(): Promise<void>
}

/**
 * Counts an attempt by address, and by e-mail whether or not such an account exists.
 * @param email undefined if none was given
 * @throws ApiError TOO_MANY_REQUESTS after several failures, with a longer wait each time
 */
export async function beginAttempt(
  { db }: Pick<Operators, 'db'>,
  email: string | undefined,
  { address }: Pick<Visitor, 'address'>,
): Promise<Attempt> {
  const ofAddress = addressKey(address)
  const ofAccount = email === undefined ? undefined : accountKey(email)
  const byAddressMS = await countAttempt(db, ofAddress, perAddress)
  const waitMS = byAddressMS > 0 || !ofAccount ? byAddressMS : await countAttempt(db, ofAccount, perAccount)
  if (waitMS > 0) throw tooManyOf('failed sign-ins', waitMS)
  return {
    async succeeded() {
      await Promise.all([
        uncountAttempt(db, ofAddress),
        forgetChallenges(db, { address }),
        ofAccount && forgetFailures(db, ofAccount),
      ])
    },
    async withdrawn() {
      await Promise.all([uncountAttempt(db, ofAddress), ofAccount && uncountAttempt(db, ofAccount)])
    },
  }
}

/** Counts a challenge for a passkey sign-in. @throws ApiError TOO_MANY_REQUESTS after many without a sign-in */
export async function countChallenge(db: Operators['db'], { address }: Pick<Visitor, 'address'>): Promise<void> {
  const waitMS = await countAttempt(db, challengeKey(address), perChallenge)
  if (waitMS > 0) throw tooManyOf('started passkey sign-ins', waitMS)
}

/** Clears the counted challenges of an address after a sign-in. */
export async function forgetChallenges(db: Operators['db'], { address }: Pick<Visitor, 'address'>): Promise<void> {
  await forgetFailures(db, challengeKey(address))
}

/** Clears the failures of an account, so that the operator can use their password again at once. */
export async function forgetFailuresOf({ db }: Pick<Operators, 'db'>, email: string): Promise<void> {
  await forgetFailures(db, accountKey(email))
}

const addressKey = (address: string) => `address ${addressBlock(address)}`
const challengeKey = (address: string) => `challenges ${addressBlock(address)}`

function accountKey(email: string): string {
  return `account ${digest(email)}`
}
