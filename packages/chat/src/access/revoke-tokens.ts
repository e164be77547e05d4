import { ApiError } from '@parley/contracts/errors'
import type { Input, Result } from '@parley/contracts/operation'
import type { revokeTokens as operation } from '@parley/contracts/operations/access/tokens'
import { digest } from '@parley/db/apps/apps'
import { lockUser } from '@parley/db/users/lock-user'
import { type LoginMark, newLoginMark } from '@parley/db/users/login-marks'
import { deleteTokens, putMark, type WhichTokens } from '@parley/db/users/tokens'
import { tokensInAudit } from '../audit/recorder.ts'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import { unknownUser } from '../users/user-errors.ts'

/**
 * Revokes tokens of a user and disconnects their sockets on every node (docs/reference/users.md#revoke-tokens). For the
 * app's own login, this includes tokens issued until now that have not been presented yet.
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function revokeTokens(
  chat: Chat,
  app: string,
  user: string,
  { token, jti, deviceId }: Input<typeof operation>['body'],
): Promise<Result<typeof operation>> {
  if ([token, jti, deviceId].filter((one) => one !== undefined).length > 1) {
    throw new ApiError('INVALID_REQUEST', 'token, jti, deviceId: expected at most one of them')
  }
  const mark: LoginMark = jti !== undefined ? { jti } : deviceId !== undefined ? { device: deviceId } : 'all'
  const of = { app, user }
  const active =
    token === undefined
      ? await endTokensOf(chat, of, mark, mark)
      : await endTokensOf(chat, of, { digest: digest(token) })
  if (token !== undefined && active === 0) {
    throw new ApiError('TOKEN_NOT_FOUND', 'token: the client does not hold this token')
  }
  const message = active === 1 ? 'The token is revoked' : `${active} tokens are revoked`
  return { success: true, message, revokedTokens: active }
}

/**
 * Revokes one token of a user by its ID in lists (docs/reference/users.md#tokens-of-a-user).
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function endToken(
  chat: Chat,
  of: { app: string; user: string },
  id: string,
): Promise<Record<string, never>> {
  const active = await endTokensOf(chat, of, { fingerprint: id })
  if (active === 0) throw new ApiError('TOKEN_NOT_FOUND', `id: no token ${JSON.stringify(id)} in force`)
  return {}
}

/** @returns the number of revoked tokens that were valid */
async function endTokensOf(
  chat: Chat,
  of: { app: string; user: string },
  which: WhichTokens,
  mark?: LoginMark,
): Promise<number> {
  const { app, user } = of
  return changeAndNotify(chat, userOrderingKey(of), async (session, pending) => {
    // A concurrent first login either commits before this, or is refused after it.
    if (!(await lockUser(chat.db, app, user, session))) throw unknownUser('client_id', user)
    const deleted = await deleteTokens(chat.db, app, user, which, session)
    if (mark) await putMark(chat.db, newLoginMark(of, mark), session)
    // Includes expired tokens: a token rebound with an earlier expiry may still have a socket.
    tokensRevoked(pending, of, deleted.ended)
    chat.audit?.addDetails({ before: tokensInAudit(deleted.ended), after: { revokedTokens: deleted.active } })
    return deleted.active
  })
}
