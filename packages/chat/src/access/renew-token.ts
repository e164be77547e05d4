import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { renewToken as operation } from '@parley/contracts/operations/access/tokens'
import { digest } from '@parley/db/apps/apps'
import { exchangeToken } from '@parley/db/users/tokens'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'
import type { AuthenticatedUser } from './caller.ts'
import { defaultExpiry, newToken } from './new-token.ts'

/**
 * Issues a new token to the caller and revokes the one used. Sockets of the old token continue under the new one
 * (docs/reference/users.md#as-the-user).
 * @throws ApiError INVALID_TOKEN if it was revoked meanwhile; PERMISSION_DENIED for a token of the app's own login
 */
export async function renewToken(chat: Chat, caller: AuthenticatedUser): Promise<Result<typeof operation>> {
  if (caller.isOwnLogin) {
    // A Parley token would outlive the lifetime that the issuer allows.
    throw new ApiError('PERMISSION_DENIED', 'the token comes from your own login: get the next one from its issuer')
  }
  const token = newToken()
  const expiresAt = defaultExpiry(chat.settings)
  const tokens = { before: caller.tokenDigest, after: digest(token) }
  const renewedBy = { token: tokens.after, expiresAtMS: expiresAt.getTime() }
  const exchanged = await changeAndNotify(chat, userOrderingKey(caller), async (session, pending) => {
    const isDone = await exchangeToken(chat.db, caller, tokens, expiresAt, session)
    if (isDone) tokensRevoked(pending, caller, [caller.tokenDigest], { renewedBy })
    return isDone
  })
  if (!exchanged) throw new ApiError('INVALID_TOKEN', 'the token is invalid or expired')
  return { token, expirationDate: expiresAt.toISOString() }
}
