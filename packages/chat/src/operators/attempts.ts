import { ApiError } from '@parley/contracts/errors'
import { digest } from '@parley/db/apps/apps'
import { countAttempt, forgetFailures, uncountAttempt } from '@parley/db/operators/sign-in-failures'
import { addressBlock } from '@parley/presence/address-block'
import type { Operators, Visitor } from './operators.ts'

/** The wait doubles with each failure after the free ones. */
const perAccount = { free: 4, firstMS: 15_000, longestMS: 900_000 }
/** An office may share its address. */
const perAddress = { free: 19, firstMS: 15_000, longestMS: 900_000 }

/** An attempt to guess a password or a code, which counts as failed until it is not. */
export interface Attempt {
  /** It was right: the failures of the account are forgotten. */
  succeeded(): Promise<void>
  /** Neither right nor a wrong guess. */
  withdrawn(): Promise<void>
}

/**
 * Counts an attempt by the e-mail that was given, whether or not there is such an account, and by address.
 * @throws ApiError TOO_MANY_REQUESTS after several failures, for longer each time
 */
export async function beginAttempt(
  { db }: Pick<Operators, 'db'>,
  email: string,
  { address }: Pick<Visitor, 'address'>,
): Promise<Attempt> {
  const [ofAddress, ofAccount] = [`address ${addressBlock(address)}`, accountKey(email)]
  const waitMS = (await countAttempt(db, ofAddress, perAddress)) || (await countAttempt(db, ofAccount, perAccount))
  if (waitMS > 0) {
    const message = `too many failed sign-ins: try again in ${Math.ceil(waitMS / 1_000)} s`
    throw new ApiError('TOO_MANY_REQUESTS', message, { details: { retryAfterMS: waitMS } })
  }
  return {
    async succeeded() {
      await Promise.all([uncountAttempt(db, ofAddress), forgetFailures(db, ofAccount)])
    },
    async withdrawn() {
      await Promise.all([uncountAttempt(db, ofAddress), uncountAttempt(db, ofAccount)])
    },
  }
}

/** An operator who came by a link may try their password again at once. */
export async function forgetFailuresOf({ db }: Pick<Operators, 'db'>, email: string): Promise<void> {
  await forgetFailures(db, accountKey(email))
}

function accountKey(email: string): string {
  return `account ${digest(email)}`
}
