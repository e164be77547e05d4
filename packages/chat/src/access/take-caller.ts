import { ApiError } from '@parley/contracts/errors'
import type { Db } from '@parley/db/connect'
import type { Session } from '@parley/db/transactions/transaction'
import { lockUser } from '@parley/db/users/lock-user'
import type { UserCaller } from './caller.ts'

/**
 * Takes the caller, who may have been erased since they authenticated, as the first thing in a transaction: what it writes is
 * there for the erasure to delete, or is never written.
 * @throws ApiError INVALID_TOKEN
 */
export async function takeCaller(db: Db, { app, user }: UserCaller, session: Session): Promise<void> {
  if (!(await lockUser(db, app, user, session))) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
}
