import { ApiError } from '@parley/contracts/errors'
import type { Db, Session } from '@parley/db/connect'
import { lockUser } from '@parley/db/users/lock-user'
import type { UserCaller } from './caller.ts'

/**
 * Locks the caller as the first step of a transaction, since they may have been erased after authenticating. Either the
 * erasure deletes the transaction's writes, or the transaction fails.
 * @throws ApiError INVALID_TOKEN
 */
export async function lockCaller(db: Db, { app, user }: UserCaller, session: Session): Promise<void> {
  if (!(await lockUser(db, app, user, session))) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
}
