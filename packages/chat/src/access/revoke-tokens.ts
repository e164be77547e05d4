import { ApiError } from '@parley/contracts/errors'
import type { Result } from '@parley/contracts/operation'
import type { revokeTokens as operation } from '@parley/contracts/operations/access/tokens'
import { digest } from '@parley/db/apps/apps'
import { deleteTokens } from '@parley/db/users/tokens'
import { findUser } from '@parley/db/users/users'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { tokensRevoked } from '../events/event-builders.ts'
import { userOrderingKey } from '../events/ordering-keys.ts'

/**
 * Ends one token of a user, or all of them, and disconnects their sockets on every node
 * (docs/reference/users.md#revoke-tokens).
 * @throws ApiError CLIENT_NOT_FOUND, TOKEN_NOT_FOUND
 */
export async function revokeTokens(
  chat: Chat,
  app: string,
  user: string,
  token?: string,
): Promise<Result<typeof operation>> {
  if (!(await findUser(chat.db, app, user))) throw unknownClient(user)
  const living = await changeAndNotify(chat, userOrderingKey({ app, user }), async (session, pending) => {
    const deleted = await deleteTokens(chat.db, app, user, token === undefined ? undefined : digest(token), session)
    // Includes expired tokens: one that was bound again with an earlier end can still have its socket.
    tokensRevoked(pending, { app, user }, deleted.ended)
    chat.audit?.note({ after: { revokedTokens: deleted.living } })
    return deleted.living
  })
  if (token !== undefined && living === 0) {
    throw new ApiError('TOKEN_NOT_FOUND', 'token: the client does not hold this token')
  }
  const message = living === 1 ? 'The token is revoked' : `${living} tokens are revoked`
  return { success: true, message, revokedTokens: living }
}

export function unknownClient(user: string): ApiError {
  return new ApiError('CLIENT_NOT_FOUND', `client_id: no user ${JSON.stringify(user)}`)
}
