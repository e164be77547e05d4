import { ApiError } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import { countAttempt, forgetFailures, uncountAttempt } from '@parley/db/operators/sign-in-failures'
import { addressBlock } from '@parley/presence/address-block'
import type { Operators, Visitor } from './operators.ts'

/** The wait doubles with each failure after the free ones. */
const perAccount = { free: 4, firstMS: 15_000, longestMS: 900_000 }
/** An office can share its address. */
const perAddress = { free: 19, firstMS: 15_000, longestMS: 900_000 }

/** Challenges of an address that led to no sign-in: the database keeps each for some minutes. */
const perChallenge = { free: 99, firstMS: 15_000, longestMS: 900_000 }

/** An attempt at a password, a code or a link, counted as failed until it succeeds. */
export interface Attempt {
  /** It succeeded: the failures of the account are forgotten. */
  succeeded(): Promise<void>
  /**
   * Neither a success nor a wrong guess. Also a right code of an authenticator, or a new passkey: a stolen session can set up one,
   * and would guess the password without a wait.
   */
  withdrawn(): Promise<void>
}

/**
 * Counts an attempt by the given e-mail, whether or not there is such an account, and by address.
 * @param email undefined where none was given
 * @throws ApiError TOO_MANY_REQUESTS after several failures, for longer each time
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
  if (waitMS > 0) throw tooMany('failed sign-ins', waitMS)
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

/** Counts a challenge for a sign-in by passkey. @throws ApiError TOO_MANY_REQUESTS after many without a sign-in */
export async function countChallenge(db: Operators['db'], { address }: Pick<Visitor, 'address'>): Promise<void> {
  const waitMS = await countAttempt(db, challengeKey(address), perChallenge)
  if (waitMS > 0) throw tooMany('sign-ins by passkey begun', waitMS)
}

/** After a sign-in by passkey, those that its address had begun before count no more. */
export async function forgetChallenges(db: Operators['db'], { address }: Pick<Visitor, 'address'>): Promise<void> {
  await forgetFailures(db, challengeKey(address))
}

function tooMany(of: string, waitMS: number): ApiError {
  const message = `too many ${of}: try again in ${Math.ceil(waitMS / 1_000)} s`
  return new ApiError('TOO_MANY_REQUESTS', message, { details: { retryAfterMS: waitMS } })
}

/** After a sign-in by link, an operator can try their password again at once. */
export async function forgetFailuresOf({ db }: Pick<Operators, 'db'>, email: string): Promise<void> {
  await forgetFailures(db, accountKey(email))
}

const addressKey = (address: string) => `address ${addressBlock(address)}`
const challengeKey = (address: string) => `challenges ${addressBlock(address)}`

function accountKey(email: string): string {
  return `account ${digest(email)}`
}
