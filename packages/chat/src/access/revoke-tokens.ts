import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { revokeTokens as operation } from '@parley/contracts/operations/access/tokens'
import { digest } from '@parley/db/apps/apps'
import { lockUser } from '@parley/db/users/lock-user'
import { type LoginMark, newLoginMark } from '@parley/db/users/login-marks'
import { deleteTokens, endLoginsUntilNow, putMark, type WhichTokens } from '@parley/db/users/tokens'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'

/**
 * Ends tokens of a user and disconnects their sockets on every node (docs/reference/users.md#revoke-tokens). Of the app's own
 * login, those end too that were issued until now and that nobody has presented yet.
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function revokeTokens(
  chat: Chat,
  app: string,
  user: string,
  { token, jti, deviceId }: Input<typeof operation>['body'] = {},
): Promise<Result<typeof operation>> {
  if ([token, jti, deviceId].filter((one) => one !== undefined).length > 1) {
    throw new ApiError('INVALID_REQUEST', 'token, jti, deviceId: expected one of them, or none')
  }
  const mark: LoginMark | undefined =
    jti !== undefined ? { jti } : deviceId !== undefined ? { device: deviceId } : undefined
  const which = token !== undefined ? { digest: digest(token) } : (mark ?? 'all')
  const living = await endTokensOf(chat, { app, user }, which, mark)
  if (token !== undefined && living === 0) {
    throw new ApiError('TOKEN_NOT_FOUND', 'token: the client does not hold this token')
  }
  const message = living === 1 ? 'The token is revoked' : `${living} tokens are revoked`
  return { success: true, message, revokedTokens: living }
}

/**
 * Ends one token of a user by the ID that lists have (docs/reference/users.md#tokens-of-a-user).
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function endToken(
  chat: Chat,
  of: { app: string; user: string },
  id: string,
): Promise<Record<string, never>> {
  const living = await endTokensOf(chat, of, { fingerprint: id })
  if (living === 0) throw new ApiError('TOKEN_NOT_FOUND', `id: no token ${JSON.stringify(id)} in force`)
  return {}
}

/** @returns the number of tokens that were in force */
async function endTokensOf(
  chat: Chat,
  of: { app: string; user: string },
  which: WhichTokens,
  mark?: LoginMark,
): Promise<number> {
  const { app, user } = of
  return changeAndNotify(chat, userOrderingKey(of), async (session, pending) => {
    // A token that is presented for the first time meanwhile comes before this, or after it and is refused.
    if (!(await lockUser(chat.db, app, user, session))) throw unknownClient(user)
    const deleted = await deleteTokens(chat.db, app, user, which, session)
    if (which === 'all') await endLoginsUntilNow(chat.db, app, user, session)
    if (mark) await putMark(chat.db, newLoginMark(of, mark), session)
    // Also of expired tokens: one that was bound again with an earlier end may have its socket still.
    tokensRevoked(pending, of, deleted.ended)
    chat.audit?.note({ after: { revokedTokens: deleted.living } })
    return deleted.living
  })
}

export function unknownClient(user: string): ApiError {
  return new ApiError('CLIENT_NOT_FOUND', `client_id: no user ${JSON.stringify(user)}`)
}
